import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { PaymentLocation } from '../../domain/payment.ts'
import type { NewPayment, PaymentRepository, PaymentRow } from '../../ports/repository/payment.ts'
import { chunks, distinctAscending, distinctInvoiceIds, num, numOrNull } from '../mapping.ts'
import type { Db, PaymentsTable } from '../tables.ts'
import { NO_KEY } from './unused-key.ts'

const COLUMNS = 11

export function paymentRepository(db: Db): PaymentRepository {
  return {
    async upsert(payments) {
      const changed: { invoice_id: bigint | number }[] = []
      for (const batch of chunks(latestObservations(payments), COLUMNS)) {
        changed.push(...(await upsert(db, batch.map(toRow))))
      }
      return distinctInvoiceIds(changed)
    },

    async byInvoices(invoiceIds) {
      const found: PaymentRow[] = []
      for (const batch of chunks(distinctAscending(invoiceIds), 1)) {
        const rows = await db
          .selectFrom('payments')
          .selectAll()
          .where('invoice_id', 'in', batch)
          .orderBy('id')
          .execute()
        found.push(...rows.map(toPayment))
      }
      return found
    },

    async unmineAbove(height) {
      const rows = await db
        .updateTable('payments')
        .set(eb => ({ place: 'mempool', height: null, last_seen_height: eb.ref('height'), ...NOT_COMPARED }))
        .where('height', '>', height)
        .returning('invoice_id')
        .execute()
      // Payments already missing wait for a new block on the remaining chain.
      await db
        .updateTable('payments')
        .set({ missing_height: height })
        .where('place', '=', sql.lit('mempool'))
        .where('missing_height', '>', height)
        .execute()
      return distinctInvoiceIds(rows)
    },

    async lowestHeightWithAtMost(limit, floor) {
      const row = await db
        .selectFrom('payments')
        .select('height')
        .where('height', '>', floor)
        .orderBy('height', 'desc')
        .limit(1)
        .offset(limit)
        .executeTakeFirst()
      return row ? num(row.height!) : floor
    },

    async countAbove(height) {
      const row = await db
        .selectFrom('payments')
        .innerJoin('invoices', 'invoices.id', 'payments.invoice_id')
        .where('payments.height', '>', height)
        .select(({ fn, eb }) => [
          fn.countAll<bigint>().as('payments'),
          fn
            .count<bigint>(eb.case().when('invoices.status', '=', 'paid').then(eb.ref('invoices.id')).end())
            .distinct()
            .as('paid'),
        ])
        .executeTakeFirstOrThrow()
      return { payments: num(row.payments), paidInvoices: num(row.paid) }
    },

    async comparableBetween(from, to) {
      const rows = await db
        .selectFrom('payments')
        .innerJoin('invoices', 'invoices.id', 'payments.invoice_id')
        .innerJoin('viewing_keys', 'viewing_keys.id', 'invoices.viewing_key_id')
        .selectAll('payments')
        .where('payments.height', '>=', from)
        .where('payments.height', '<=', to)
        .where('viewing_keys.sealed', '!=', NO_KEY)
        .orderBy('payments.id')
        .execute()
      return rows.map(toPayment)
    },

    async awaitingWitness(from, to, limit) {
      const rows = await db
        .selectFrom('payments')
        .selectAll()
        .where('awaits_witness', '=', sql.lit(1))
        .where('place', '=', sql.lit('mined'))
        .where('height', '>=', from)
        .where('height', '<=', to)
        .orderBy('height')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toPayment)
    },

    async markWitnessed(orders) {
      for (const batch of chunks(orders, 1))
        await db.updateTable('payments').set({ awaits_witness: 0 }).where('id', 'in', batch).execute()
    },

    async lastSeq() {
      const row = await db.selectFrom('payments').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst()
      return row ? num(row.id) : 0
    },

    async markPresent(orders, tip) {
      for (const batch of chunks(orders, 1)) {
        await db
          .updateTable('payments')
          .set({ in_snapshot: 1, missing_since: null, missing_height: null, last_seen_height: tip })
          .where('id', 'in', batch)
          .execute()
      }
    },

    async markAbsent(orders) {
      for (const batch of chunks(orders, 1))
        await db.updateTable('payments').set({ in_snapshot: 0 }).where('id', 'in', batch).execute()
    },

    async markMissing(orders, { since, height }) {
      for (const batch of chunks(orders, 1)) {
        await db
          .updateTable('payments')
          .set({ in_snapshot: 0, missing_since: since, missing_height: height })
          .where('id', 'in', batch)
          .execute()
      }
    },

    async listMempool() {
      const rows = await db
        .selectFrom('payments')
        .selectAll()
        .where('place', '=', sql.lit('mempool'))
        .orderBy('id')
        .execute()
      return rows.map(toPayment)
    },

    async markDropped(txids) {
      const changed: { invoice_id: bigint | number }[] = []
      for (const batch of chunks(txids, 1)) {
        const rows = await db
          .updateTable('payments')
          .set({ place: 'dropped' })
          .where('place', '=', sql.lit('mempool'))
          .where('txid', 'in', batch)
          .returning('invoice_id')
          .execute()
        changed.push(...rows)
      }
      return distinctInvoiceIds(changed)
    },
  }
}

/** No complete mempool snapshot has been compared with the payment at its present location yet. */
const NOT_COMPARED = { in_snapshot: 0, missing_since: null, missing_height: null } as const

/** Inserts new payments and updates the location of known ones. @returns the changed rows */
function upsert(db: Db, rows: Insertable<PaymentsTable>[]): Promise<{ invoice_id: bigint | number }[]> {
  return db
    .insertInto('payments')
    .values(rows)
    .onConflict(conflict =>
      conflict
        .columns(['txid', 'pool', 'output_index'])
        .doUpdateSet(eb => ({
          place: eb.ref('excluded.place'),
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
            eb('excluded.place', '<>', eb.ref('payments.place')),
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
    .returning('invoice_id')
    .execute()
}

/**
 * The latest observation of each payment, since a statement must not change a row twice. A mined observation wins over
 * an unmined one.
 */
function latestObservations(payments: readonly NewPayment[]): NewPayment[] {
  const latest = new Map<string, NewPayment>()
  for (const next of payments) {
    const key = `${next.txid} ${next.pool} ${next.outputIndex}`
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

function toRow(payment: NewPayment): Insertable<PaymentsTable> {
  return {
    invoice_id: payment.invoiceId,
    txid: payment.txid,
    pool: payment.pool,
    output_index: payment.outputIndex,
    value_zat: payment.valueZat,
    place: payment.location.at,
    height: payment.location.at === 'mined' ? payment.location.height : null,
    expiry_height: payment.expiryHeight,
    seen_at: payment.seenAt,
    last_seen_height: payment.lastSeenHeight,
    awaits_witness: payment.awaitsWitness ? 1 : 0,
  }
}

function toPayment(row: Selectable<PaymentsTable>): PaymentRow {
  return {
    invoiceId: num(row.invoice_id),
    txid: row.txid,
    pool: row.pool,
    outputIndex: num(row.output_index),
    valueZat: BigInt(row.value_zat),
    location: toLocation(row),
    seq: num(row.id),
    seenAt: num(row.seen_at),
    expiryHeight: numOrNull(row.expiry_height),
    inSnapshot: num(row.in_snapshot) === 1,
    lastSeenHeight: num(row.last_seen_height ?? row.height ?? 0),
    awaitsWitness: num(row.awaits_witness) === 1,
    missing: toMissing(row),
  }
}

function toMissing({ missing_since, missing_height }: Selectable<PaymentsTable>): PaymentRow['missing'] {
  if (missing_since === null || missing_height === null) return null
  return { since: num(missing_since), height: num(missing_height) }
}

function toLocation({ place, height }: Selectable<PaymentsTable>): PaymentLocation {
  return place === 'mined' ? { at: 'mined', height: Number(height) } : { at: place }
}
