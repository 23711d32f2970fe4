import { sql } from 'kysely'
import type { PaymentSummary, Unmined } from '../../../domain/sale/payment.ts'
import { chunks, inChunks, num, numOrNull } from '../../mapping.ts'
import { UNMINED } from '../../placeholder.ts'
import type { Db, Int64 } from '../../tables.ts'
import { int, valuesRow } from '../../values.ts'

/** A change of the sum of an invoice's payments at one height, or in the mempool. */
export interface TotalChange {
  readonly invoiceId: number
  /** `UNMINED` for the mempool. */
  readonly height: number
  readonly changeZat: bigint
  /** The change of the part that awaits a second server. */
  readonly awaitingZat: bigint
}

/** @throws Error when the totals do not contain what is taken from them */
export async function changeTotals(db: Db, changes: readonly TotalChange[]): Promise<void> {
  const net = netChanges(changes)
  const onlyGains = ({ changeZat, awaitingZat }: TotalChange) => changeZat > 0n && awaitingZat >= 0n
  for (const batch of chunks(net.filter(onlyGains), 4)) await raise(db, batch)
  for (const batch of chunks(
    net.filter(change => !onlyGains(change)),
    4,
  ))
    await change(db, batch)
}

async function raise(db: Db, gains: readonly TotalChange[]): Promise<void> {
  const rows = gains.map(({ invoiceId, height, changeZat, awaitingZat }) => {
    return { invoice_id: invoiceId, height, value_zat: changeZat, awaiting_zat: awaitingZat }
  })
  await db
    .insertInto('payment_totals')
    .values(rows)
    .onConflict(conflict =>
      conflict.columns(['invoice_id', 'height']).doUpdateSet(eb => ({
        value_zat: eb('payment_totals.value_zat', '+', eb.ref('excluded.value_zat')),
        awaiting_zat: eb('payment_totals.awaiting_zat', '+', eb.ref('excluded.awaiting_zat')),
      })),
    )
    .execute()
}

async function change(db: Db, changes: readonly TotalChange[]): Promise<void> {
  const rows = changes.map(({ invoiceId, height, changeZat, awaitingZat }) =>
    valuesRow(int(invoiceId), int(height), int(changeZat), int(awaitingZat)),
  )
  const changed = await sql`
    UPDATE payment_totals SET value_zat = payment_totals.value_zat + net.column3,
      awaiting_zat = payment_totals.awaiting_zat + net.column4
    FROM (VALUES ${sql.join(rows)}) AS net
    WHERE payment_totals.invoice_id = net.column1 AND payment_totals.height = net.column2
    RETURNING payment_totals.invoice_id`.execute(db)
  if (changed.rows.length !== changes.length) throw new Error('the totals of the payments lack a payment')
  const places = changes.map(({ invoiceId, height }) => valuesRow(int(invoiceId), int(height)))
  await db
    .deleteFrom('payment_totals')
    .where('value_zat', '=', 0)
    .where(sql<boolean>`(invoice_id, height) in (values ${sql.join(places)})`)
    .execute()
}

function netChanges(changes: readonly TotalChange[]): TotalChange[] {
  const net = new Map<string, TotalChange>()
  for (const change of changes) {
    const key = `${change.invoiceId} ${change.height}`
    const { changeZat, awaitingZat } = net.get(key) ?? { changeZat: 0n, awaitingZat: 0n }
    net.set(key, {
      ...change,
      changeZat: changeZat + change.changeZat,
      awaitingZat: awaitingZat + change.awaitingZat,
    })
  }
  return [...net.values()].filter(({ changeZat, awaitingZat }) => changeZat !== 0n || awaitingZat !== 0n)
}

/** Moves the totals above `height` to the mempool. @returns the ids of their invoices */
export async function unmineTotalsAbove(db: Db, height: number, invoiceIds?: readonly number[]): Promise<number[]> {
  const rows = await db
    .deleteFrom('payment_totals')
    .where('height', '>', height)
    .$if(invoiceIds !== undefined, query => query.where('invoice_id', 'in', invoiceIds ?? []))
    .returning(['invoice_id', 'value_zat'])
    .execute()
  const moved = rows.map(row => ({
    invoiceId: num(row.invoice_id),
    height: UNMINED,
    changeZat: BigInt(row.value_zat),
    awaitingZat: 0n,
  }))
  await changeTotals(db, moved)
  return moved.map(({ invoiceId }) => invoiceId)
}

interface SummaryRow {
  readonly invoice_id: Int64
  readonly unmined: SqlSum | null
  readonly mined: SqlSum | null
  readonly confirmed: SqlSum | null
  readonly unconfirmed_height: Int64 | null
  readonly txid: string | null
  readonly first_expiry: Int64 | null
  readonly last_expiry: Int64 | null
  readonly last_seen: Int64 | null
}

/** PostgreSQL returns the sum of 64-bit integers as a decimal number. */
type SqlSum = Int64 | string

/**
 * Each subquery reads one row at an end of an index. The statement contains the places as literals, since a partial index
 * is not used for a bound value.
 */
export async function summaries(
  db: Db,
  invoices: readonly { readonly id: number; readonly confirmedThrough: number }[],
): Promise<Map<number, PaymentSummary>> {
  const rows = await inChunks(invoices, 2, async batch => {
    const asked = batch.map(({ id, confirmedThrough }) => valuesRow(int(id), int(confirmedThrough)))
    const dropped = sql`payments WHERE payments.invoice_id = asked.column1 AND payments.location = 'dropped'`
    const result = await sql<SummaryRow>`
      SELECT asked.column1 AS invoice_id,
        sum(CASE WHEN totals.height < 0 THEN totals.value_zat ELSE 0 END) AS unmined,
        sum(CASE WHEN totals.height >= 0 THEN totals.value_zat ELSE 0 END) AS mined,
        sum(CASE WHEN totals.height >= 0 AND totals.height <= asked.column2
          THEN totals.value_zat - totals.awaiting_zat ELSE 0 END) AS confirmed,
        min(CASE WHEN totals.height >= 0 AND totals.height > asked.column2 THEN totals.height END) AS unconfirmed_height,
        (SELECT payments.txid FROM payments
          WHERE payments.invoice_id = asked.column1 AND payments.location <> 'dropped'
          ORDER BY payments.id DESC LIMIT 1) AS txid,
        (SELECT min(payments.expiry_height) FROM ${dropped} AND payments.expiry_height IS NOT NULL) AS first_expiry,
        (SELECT max(payments.expiry_height) FROM ${dropped} AND payments.expiry_height IS NOT NULL) AS last_expiry,
        (SELECT max(payments.last_seen_height) FROM ${dropped} AND payments.expiry_height IS NULL) AS last_seen
      FROM (VALUES ${sql.join(asked)}) AS asked
      LEFT JOIN payment_totals AS totals ON totals.invoice_id = asked.column1
      GROUP BY asked.column1`.execute(db)
    return result.rows
  })
  return new Map(rows.map(row => [num(row.invoice_id), toSummary(row)]))
}

function toSummary(row: SummaryRow): PaymentSummary {
  return {
    unminedZat: BigInt(row.unmined ?? 0),
    minedZat: BigInt(row.mined ?? 0),
    confirmedZat: BigInt(row.confirmed ?? 0),
    unconfirmedHeight: numOrNull(row.unconfirmed_height),
    txid: row.txid,
    dropped: longestMinable(row),
  }
}

/** An expiry height of 0, which never expires, is the first one. */
function longestMinable({ first_expiry, last_expiry, last_seen }: SummaryRow): Unmined[] {
  const known = [first_expiry, last_expiry].flatMap(height =>
    height === null ? [] : [{ expiryHeight: num(height), lastSeenHeight: 0 }],
  )
  return last_seen === null ? known : [...known, { expiryHeight: null, lastSeenHeight: num(last_seen) }]
}
