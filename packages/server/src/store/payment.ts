import type { Insertable, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Place } from '../domain/invoice.ts'
import type { NewPayment, PaymentRow, PaymentRows } from '../ports/invoice.ts'
import { ascending, chunks, distinctIds, num, numOrNull } from './mapping.ts'
import type { Db, PaymentsTable } from './tables.ts'

const COLUMNS = 9

export function paymentRows(db: Db): PaymentRows {
  return {
    async record(payments) {
      const changed: { invoice_id: bigint | number }[] = []
      for (const some of chunks(lastSightings(payments), COLUMNS)) {
        changed.push(...(await upsert(db, some.map(toRow))))
      }
      return distinctIds(changed)
    },

    async ofInvoices(invoiceIds) {
      const found: PaymentRow[] = []
      for (const some of chunks(ascending(invoiceIds), 1)) {
        const rows = await db.selectFrom('payments').selectAll().where('invoice_id', 'in', some).orderBy('id').execute()
        found.push(...rows.map(toPayment))
      }
      return found
    },

    async unmineAbove(height) {
      const rows = await db
        .updateTable('payments')
        .set({ place: 'mempool', height: null })
        .where('height', '>', height)
        .returning('invoice_id')
        .execute()
      return distinctIds(rows)
    },

    async inMempool() {
      const rows = await db
        .selectFrom('payments')
        .selectAll()
        .where('place', '=', sql.lit('mempool'))
        .orderBy('id')
        .execute()
      return rows.map(toPayment)
    },

    async drop(txids) {
      const changed: { invoice_id: bigint | number }[] = []
      for (const some of chunks(txids, 1)) {
        const rows = await db
          .updateTable('payments')
          .set({ place: 'dropped' })
          .where('place', '=', sql.lit('mempool'))
          .where('txid', 'in', some)
          .returning('invoice_id')
          .execute()
        changed.push(...rows)
      }
      return distinctIds(changed)
    },
  }
}

/** Inserts new payments and moves known ones; the rows that changed. */
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
        }))
        .where(({ eb, or, and, not }) => {
          const minedNow = eb('excluded.height', 'is not', null)
          const minedBefore = eb('payments.height', 'is not', null)
          const moved = or([
            eb('excluded.place', '<>', eb.ref('payments.place')),
            eb('excluded.height', '<>', eb.ref('payments.height')),
          ])
          const expiryLearnt = and([
            eb('payments.expiry_height', 'is', null),
            eb('excluded.expiry_height', 'is not', null),
          ])
          // A sighting in the mempool may be older than the block that mined the payment: only a rewind unmines.
          return or([and([minedNow, moved]), and([not(minedBefore), or([moved, expiryLearnt])])])
        }),
    )
    .returning('invoice_id')
    .execute()
}

/** One sighting for each payment, as no statement may touch a row twice: the last, and a mined one over an unmined. */
function lastSightings(payments: readonly NewPayment[]): NewPayment[] {
  const last = new Map<string, NewPayment>()
  for (const next of payments) {
    const key = `${next.txid} ${next.pool} ${next.outputIndex}`
    const before = last.get(key)
    if (before?.place.at === 'mined' && next.place.at !== 'mined') continue
    last.set(
      key,
      before ? { ...before, place: next.place, expiryHeight: before.expiryHeight ?? next.expiryHeight } : next,
    )
  }
  return [...last.values()]
}

function toRow(payment: NewPayment): Insertable<PaymentsTable> {
  return {
    invoice_id: payment.invoiceId,
    txid: payment.txid,
    pool: payment.pool,
    output_index: payment.outputIndex,
    value_zat: payment.valueZat,
    place: payment.place.at,
    height: payment.place.at === 'mined' ? payment.place.height : null,
    expiry_height: payment.expiryHeight,
    seen_at: payment.seenAt,
  }
}

function toPayment(row: Selectable<PaymentsTable>): PaymentRow {
  return {
    invoiceId: num(row.invoice_id),
    txid: row.txid,
    pool: row.pool,
    outputIndex: num(row.output_index),
    valueZat: BigInt(row.value_zat),
    place: toPlace(row),
    order: num(row.id),
    seenAt: num(row.seen_at),
    expiryHeight: numOrNull(row.expiry_height),
  }
}

function toPlace({ place, height }: Selectable<PaymentsTable>): Place {
  return place === 'mined' ? { at: 'mined', height: Number(height) } : { at: place }
}
