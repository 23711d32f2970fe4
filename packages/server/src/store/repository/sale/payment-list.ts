import { expressionBuilder, sql } from 'kysely'
import type { PaymentRepository } from '../../../ports/repository/sale/payment.ts'
import { keptStatement } from '../../kept-statement.ts'
import { distinctAscending, distinctInvoiceIds, inChunks, num } from '../../mapping.ts'
import { NO_KEY, UNMINED } from '../../placeholder.ts'
import type { Db, Tables } from '../../tables.ts'
import { toPayment } from './payment-row.ts'

/** Values of a statement that has one term for each of them. SQLite unites at most 500 terms. */
const VALUES_PER_TERM = 40

type Lists = Pick<
  PaymentRepository,
  | 'firstUnmined'
  | 'newest'
  | 'heightsOf'
  | 'latestUnminedSeenAt'
  | 'invoicesMinedAbove'
  | 'setAsideMinedAbove'
  | 'lowestHeightWithAtMost'
  | 'countAbove'
  | 'comparableBetween'
  | 'unprovenOfSetAside'
  | 'allAwaitingWitness'
  | 'awaitingWitness'
  | 'lastSeq'
  | 'listMempool'
  | 'expiredUnmined'
  | 'invoicesOfUnmined'
>

/** Statements contain the places as literals, since a partial index is not used for a bound value. */
const unminedOf = (db: Db) => db.selectFrom('payments').where('location', '=', sql.lit('mempool'))

// Statements of each sync.
const findLast = keptStatement(db => db.selectFrom('payments').select('id').orderBy('id', 'desc').limit(sql.lit(1)))
const findFirstUnmined = keptStatement(db => unminedOf(db).selectAll().orderBy('invoice_id').orderBy('id').limit(0))
const findExpiredUnmined = keptStatement(db =>
  unminedOf(db)
    .select('txid')
    .where('expiry_height', '>', sql.lit(0))
    .where('expiry_height', '<=', 0)
    .where(isNotOfKeys(db, keysWithoutBlocks(db)))
    .distinct()
    .limit(0),
)

export function paymentListQueries(db: Db): Lists {
  const unmined = () => unminedOf(db)

  async function invoicesOfUnmined(txids: readonly string[]): Promise<number[]> {
    const rows = await inChunks(txids, 1, batch =>
      unmined().select('invoice_id').where('txid', 'in', batch).distinct().execute(),
    )
    return distinctInvoiceIds(rows)
  }

  return {
    async firstUnmined(invoiceIds, limit) {
      const rows = await inChunks(distinctAscending(invoiceIds), VALUES_PER_TERM, batch => {
        const first = (id: number) => unmined().selectAll().where('invoice_id', '=', id).orderBy('id').limit(limit)
        const [one, ...others] = batch.map(id => db.selectFrom(first(id).as('first')).selectAll())
        return others.reduce((all, next) => all.unionAll(next), one!).execute()
      })
      return rows.map(toPayment)
    },

    async newest(invoiceId, limit) {
      const payments = db
        .selectFrom('payments')
        .selectAll()
        .where('invoice_id', '=', invoiceId)
        .orderBy('id', 'desc')
        .limit(limit)
      const live = await payments.where('location', '<>', sql.lit('dropped')).execute()
      const dropped = await payments.where('location', '=', sql.lit('dropped')).execute()
      return [...live, ...dropped].map(toPayment)
    },

    async heightsOf(invoiceId, limit) {
      const rows = await db
        .selectFrom('payment_totals')
        .select('height')
        .where('invoice_id', '=', invoiceId)
        .where('height', '>', UNMINED)
        .orderBy('height', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ height }) => num(height))
    },

    async latestUnminedSeenAt(invoiceId) {
      const latest = unmined().select('seen_at').where('invoice_id', '=', invoiceId).orderBy('id', 'desc').limit(1)
      const row = await latest.executeTakeFirst()
      return row ? num(row.seen_at) : null
    },

    async invoicesMinedAbove(height) {
      // SQLite reads the whole table for distinct ones.
      const rows = await db.selectFrom('payment_totals').select('invoice_id').where('height', '>', height).execute()
      return distinctInvoiceIds(rows)
    },

    async setAsideMinedAbove(height, viewingKeyId) {
      const rows = await db
        .selectFrom('set_aside')
        .innerJoin('invoices', 'invoices.public_id', 'set_aside.reference')
        .innerJoin('payment_totals', 'payment_totals.invoice_id', 'invoices.id')
        .select('payment_totals.invoice_id')
        .where('set_aside.kind', '=', sql.lit('invoice'))
        .where('invoices.viewing_key_id', '=', viewingKeyId)
        .where('payment_totals.height', '>', height)
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
        .where('viewing_keys.id', 'not in', keysWithoutBlocks(db))
        .orderBy('payments.id')
        .execute()
      return rows.map(toPayment)
    },

    async unprovenOfSetAside(from, to) {
      const rows = await db
        .selectFrom('payments')
        .innerJoin('invoices', 'invoices.id', 'payments.invoice_id')
        .innerJoin('set_aside', 'set_aside.row_id', 'invoices.viewing_key_id')
        .select(['payments.id', 'payments.invoice_id'])
        .where('payments.height', '>=', from)
        .where('payments.height', '<=', to)
        .where('payments.awaits_witness', '=', sql.lit(0))
        .where('set_aside.kind', '=', sql.lit('scan_key'))
        .whereRef('set_aside.from_height', '>', 'payments.height')
        .execute()
      return rows.map(row => ({ seq: num(row.id), invoiceId: num(row.invoice_id) }))
    },

    async allAwaitingWitness(limit, skip) {
      const rows = await db
        .selectFrom('payments')
        .select(['id', 'invoice_id'])
        .where('awaits_witness', '=', sql.lit(1))
        .where('location', '=', sql.lit('mined'))
        .orderBy('height')
        .limit(limit)
        .offset(skip)
        .execute()
      return rows.map(row => ({ seq: num(row.id), invoiceId: num(row.invoice_id) }))
    },

    async awaitingWitness(from, to, limit) {
      const rows = await db
        .selectFrom('payments')
        .innerJoin('invoices', 'invoices.id', 'payments.invoice_id')
        .innerJoin('viewing_keys', 'viewing_keys.id', 'invoices.viewing_key_id')
        .selectAll('payments')
        .where('payments.awaits_witness', '=', sql.lit(1))
        .where('payments.location', '=', sql.lit('mined'))
        .where('payments.height', '>=', from)
        .where('payments.height', '<=', to)
        .where('viewing_keys.sealed', '!=', NO_KEY)
        .where('viewing_keys.id', 'not in', keysWithoutBlocks(db))
        .orderBy('payments.height')
        .orderBy('payments.id')
        .limit(limit)
        .execute()
      return rows.map(toPayment)
    },

    async lastSeq() {
      const [row] = await findLast(db, 1, [])
      return row ? num(row.id) : 0
    },

    async listMempool(limit, after) {
      if (after === null) return (await findFirstUnmined(db, 1, [limit])).map(toPayment)
      const rows = await unmined()
        .selectAll()
        .where(sql<boolean>`(invoice_id, id) > (${after.invoiceId}, ${after.seq})`)
        .orderBy('invoice_id')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toPayment)
    },

    async expiredUnmined(tip, limit) {
      const rows = await findExpiredUnmined(db, 1, [tip, limit])
      const txids = rows.map(({ txid }) => txid)
      return { txids, invoiceIds: await invoicesOfUnmined(txids) }
    },

    invoicesOfUnmined,
  }
}

/** True for the payments of other viewing keys. */
export function isNotOfKeys(db: Db, keys: readonly number[] | ReturnType<typeof keysWithoutBlocks>) {
  const { not, exists } = expressionBuilder<Tables, 'payments'>()
  const invoice = db
    .selectFrom('invoices')
    .select('invoices.id')
    .where('invoices.id', '=', sql.ref<number>('payments.invoice_id'))
  return not(exists(invoice.where('invoices.viewing_key_id', 'in', keys)))
}

/** The ids of the viewing keys that are set aside. The table is bounded. */
function keysWithoutBlocks(db: Db) {
  return db
    .selectFrom('set_aside')
    .select(eb => eb.fn.coalesce('row_id', sql.lit(0)).as('id'))
    .where('kind', '=', sql.lit('scan_key'))
    .where('from_height', 'is not', null)
}
