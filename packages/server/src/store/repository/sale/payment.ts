import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { NewPayment, PaymentRepository, PaymentRow } from '../../../ports/repository/sale/payment.ts'
import { chunks, distinctAscending, distinctInvoiceIds, inChunks, num } from '../../mapping.ts'
import { UNMINED } from '../../placeholder.ts'
import type { Db, PaymentsTable } from '../../tables.ts'
import { isNotOfKeys, paymentListQueries } from './payment-list.ts'
import { keyOf, toPayment, toRow } from './payment-row.ts'
import { changeTotals, summaries, type TotalChange, unmineTotalsAbove } from './payment-total.ts'

const COLUMNS = 11

/** Statements contain the places as literals, since a partial index is not used for a bound value. */
export function paymentRepository(db: Db): PaymentRepository {
  const known: PaymentRepository['known'] = async keys => {
    const wanted = new Set(keys.map(keyOf))
    const rows = await inChunks([...new Set(keys.map(({ txid }) => txid))], 1, batch =>
      db.selectFrom('payments').selectAll().where('txid', 'in', batch).execute(),
    )
    return rows.map(toPayment).filter(payment => wanted.has(keyOf(payment)))
  }

  async function setAwaitsWitness(seqs: readonly number[], awaitsWitness: boolean): Promise<void> {
    const changed = await inChunks(seqs, 1, batch =>
      db
        .updateTable('payments')
        .set({ awaits_witness: awaitsWitness ? 1 : 0 })
        .where('id', 'in', batch)
        .where('awaits_witness', '=', sql.lit(awaitsWitness ? 0 : 1))
        .returningAll()
        .execute(),
    )
    const rows = changed.map(toPayment)
    await changeTotals(
      db,
      rows.flatMap(row => [...totalOf({ ...row, awaitsWitness: !awaitsWitness }, -1n), ...totalOf(row, 1n)]),
    )
  }

  return {
    async upsert(payments) {
      const observed = latestObservations(payments)
      const before = new Map((await known(observed)).map(payment => [keyOf(payment), payment]))
      const news = observed.filter(payment => !isKnown(payment, before.get(keyOf(payment))))
      const changed = await inChunks(news, COLUMNS, batch => upsert(db, batch.map(toRow)))
      const rows = changed.map(toPayment)
      await changeTotals(
        db,
        rows.flatMap(row => [...totalOf(before.get(keyOf(row)), -1n), ...totalOf(row, 1n)]),
      )
      return distinctAscending(rows.map(({ invoiceId }) => invoiceId))
    },

    known,
    summaries: invoices => summaries(db, invoices),
    ...paymentListQueries(db),

    async unmineAbove(height, invoiceIds) {
      const unmined: number[] = []
      for (const batch of invoiceIds ? chunks(invoiceIds, 1) : [undefined]) {
        await db
          .updateTable('payments')
          .set(eb => ({ location: 'mempool', height: null, last_seen_height: eb.ref('height'), ...NOT_COMPARED }))
          .where('height', '>', height)
          .$if(batch !== undefined, query => query.where('invoice_id', 'in', batch ?? []))
          .execute()
        for (const id of await unmineTotalsAbove(db, height, batch)) unmined.push(id)
      }
      return distinctAscending(unmined)
    },

    async lowerMissingHeights(height, limit) {
      const missing = db
        .selectFrom('payments')
        .select('id')
        .where('location', '=', sql.lit('mempool'))
        .where('vanished_height', '>', height)
        .limit(limit)
      const rows = await db
        .updateTable('payments')
        .set({ vanished_height: height })
        .where('id', 'in', missing)
        .returning('id')
        .execute()
      return rows.length
    },

    awaitWitness: seqs => setAwaitsWitness(seqs, true),
    markWitnessed: seqs => setAwaitsWitness(seqs, false),

    async markPresent(seqs, tip) {
      for (const batch of chunks(seqs, 1)) {
        await db
          .updateTable('payments')
          .set({ in_snapshot: 1, vanished_since: null, vanished_height: null, last_seen_height: tip })
          .where('id', 'in', batch)
          .execute()
      }
    },

    async markAbsent(seqs) {
      for (const batch of chunks(seqs, 1))
        await db.updateTable('payments').set({ in_snapshot: 0 }).where('id', 'in', batch).execute()
    },

    async markMissing(seqs, { since, height }) {
      for (const batch of chunks(seqs, 1)) {
        await db
          .updateTable('payments')
          .set({ in_snapshot: 0, vanished_since: since, vanished_height: height })
          .where('id', 'in', batch)
          .execute()
      }
    },

    async markDropped(txids, exceptKeys = []) {
      const dropped = await inChunks(txids, 1, batch =>
        db
          .updateTable('payments')
          .set({ location: 'dropped' })
          .where('location', '=', sql.lit('mempool'))
          .where('txid', 'in', batch)
          .$if(exceptKeys.length > 0, query => query.where(isNotOfKeys(db, exceptKeys)))
          .returning(['invoice_id', 'value_zat'])
          .execute(),
      )
      await changeTotals(
        db,
        dropped.map(row => ({
          invoiceId: num(row.invoice_id),
          height: UNMINED,
          changeZat: -BigInt(row.value_zat),
          awaitingZat: 0n,
        })),
      )
      return distinctInvoiceIds(dropped)
    },

    async pruneDropped({ seenBefore, watchedBefore }, limit, skip = 0) {
      const old = await db
        .selectFrom('payments')
        .innerJoin('invoices', 'invoices.id', 'payments.invoice_id')
        .select('payments.id')
        .where('payments.location', '=', sql.lit('dropped'))
        .where('payments.seen_at', '<', seenBefore)
        .where('invoices.watch_until', '<', watchedBefore)
        .orderBy('payments.seen_at')
        .limit(limit)
        .offset(skip)
        .execute()
      const ids = old.map(row => num(row.id))
      for (const batch of chunks(ids, 1)) {
        await db.deleteFrom('payments').where('id', 'in', batch).where('location', '=', sql.lit('dropped')).execute()
      }
      return ids.length
    },
  }
}

/** Whether an unmined payment is recorded as it was observed. */
function isKnown(observed: NewPayment, before: PaymentRow | undefined): boolean {
  if (before?.location.at !== 'mempool' || observed.location.at !== 'mempool') return false
  return before.expiryHeight !== null || observed.expiryHeight === null
}

function totalOf(payment: PaymentRow | undefined, sign: bigint): TotalChange[] {
  if (payment === undefined || payment.location.at === 'dropped') return []
  const { invoiceId, location, valueZat, awaitsWitness } = payment
  const isMined = location.at === 'mined'
  const awaitingZat = isMined && awaitsWitness ? sign * valueZat : 0n
  return [{ invoiceId, height: isMined ? location.height : UNMINED, changeZat: sign * valueZat, awaitingZat }]
}

/** No complete mempool snapshot has been compared with the payment at its present location yet. */
const NOT_COMPARED = { in_snapshot: 0, vanished_since: null, vanished_height: null } as const

/** Inserts new payments and updates the location of known ones. @returns the changed rows */
function upsert(db: Db, rows: Insertable<PaymentsTable>[]): Promise<Selectable<PaymentsTable>[]> {
  return db
    .insertInto('payments')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .columns(['txid', 'pool', 'output_index'])
        .doUpdateSet(eb => ({
          location: eb.ref('excluded.location'),
          height: eb.ref('excluded.height'),
          expiry_height: eb.fn.coalesce('payments.expiry_height', 'excluded.expiry_height'),
          last_seen_height: eb.ref('excluded.last_seen_height'),
          awaits_witness: eb.ref('excluded.awaits_witness'),
          ...NOT_COMPARED,
        }))
        .where(({ eb, or, and, not }) => {
          const minedNow = eb('excluded.height', 'is not', null)
          const minedBefore = eb('payments.height', 'is not', null)
          const moved = or([
            eb('excluded.location', '<>', eb.ref('payments.location')),
            eb('excluded.height', '<>', eb.ref('payments.height')),
          ])
          const expiryAdded = and([
            eb('payments.expiry_height', 'is', null),
            eb('excluded.expiry_height', 'is not', null),
          ])
          // A mempool observation may be older than the block that mined the payment. Only a rewind makes it unmined.
          return or([and([minedNow, moved]), and([not(minedBefore), or([moved, expiryAdded])])])
        }),
    )
    .returningAll()
    .execute()
}

/**
 * The latest observation of each payment, since a statement must not change a row twice. A mined observation wins over
 * an unmined one.
 */
function latestObservations(payments: readonly NewPayment[]): NewPayment[] {
  const latest = new Map<string, NewPayment>()
  for (const next of payments) {
    const key = keyOf(next)
    const before = latest.get(key)
    if (before?.location.at === 'mined' && next.location.at !== 'mined') continue
    latest.set(
      key,
      before ? { ...next, ...firstObserved(before), expiryHeight: before.expiryHeight ?? next.expiryHeight } : next,
    )
  }
  return [...latest.values()]
}

/** The fields that keep their first values when a payment is observed again. */
function firstObserved({ invoiceId, valueZat, seenAt }: NewPayment) {
  return { invoiceId, valueZat, seenAt }
}
