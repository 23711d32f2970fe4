import { sql } from 'kysely'
import { startOfDay } from '../../../domain/time.ts'
import type { DashboardRepository } from '../../../ports/repository/sale/dashboard.ts'
import { countUpTo } from '../../count.ts'
import { chunks, distinctAscending, inChunks, num } from '../../mapping.ts'
import { afterInPeriod } from '../../paginate.ts'
import { NO_KEY } from '../../placeholder.ts'
import type { Db } from '../../tables.ts'
import { readTotals } from '../../totals.ts'
import { toInvoice } from './invoice.ts'
import { selectedSales } from './invoice-filter.ts'

/** Payments of the transactions with a prefix, of all accounts together. One transaction can pay very many invoices. */
const MAX_PAYMENTS = 1_000

/** Sorts after every continuation of a hexadecimal prefix, in any collation. */
const PREFIX_END = 'z'.repeat(8)

/** Sorts after every other character, byte by byte. */
const LAST_CHARACTER = '\u{10ffff}'

export function dashboardRepository(db: Db): DashboardRepository {
  const sales = (accountId: number) =>
    db.selectFrom('invoices').where('account_id', '=', accountId).where('purpose', '=', 'sale')

  /** For conditions more selective than the account: `+ 0` keeps SQLite from scanning all invoices of the account. */
  const salesWithoutIndex = (accountId: number) =>
    db
      .selectFrom('invoices')
      .selectAll()
      .where(sql<boolean>`account_id + 0 = ${accountId}`)
      .where('purpose', '=', 'sale')

  const overpaid = (accountId: number, paidFrom: number) =>
    sales(accountId)
      .where('overpaid_zat', '>', sql.lit(0))
      .where(sql<boolean>`overpaid_zat > coalesce(refunded_zat, 0)`)
      .where('status', '=', 'paid')
      .where('paid_at', '>=', paidFrom)

  const late = (accountId: number, lateFrom: number) =>
    sales(accountId).where('late_at', '>=', lateFrom).where(sql<boolean>`received_zat > coalesce(refunded_zat, 0)`)

  /** Adds rows to sums, in as few statements as possible. Those of erased accounts are left out. @param keys of a sum */
  async function addUp(
    table: 'daily_totals' | 'daily_prices',
    keys: readonly string[],
    rows: readonly { readonly account_id: number }[],
  ): Promise<void> {
    const [first] = rows
    if (!first) return
    const kept = await keptAccounts(db, distinctAscending(rows.map(row => row.account_id)))
    const columns = Object.keys(first)
    const sums = columns.filter(column => !keys.includes(column))
    const added = sums.map(column => [column, sql`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`])
    const ofKept = rows.filter(row => kept.has(row.account_id))
    for (const batch of chunks(ofKept, columns.length))
      await db
        .insertInto(table)
        .values(batch as never)
        .onConflict(conflict => conflict.columns(keys as never).doUpdateSet(Object.fromEntries(added) as never))
        .execute()
  }

  return {
    async paidByDay(accountId, from) {
      const rows = await db
        .selectFrom('daily_totals')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('day', '>=', startOfDay(from))
        .where(({ or, eb }) => or([eb('invoices', '>', 0), eb('refunded_zat', '>', 0)]))
        .orderBy('day')
        .execute()
      return rows.map(row => ({
        day: num(row.day),
        receivedZat: BigInt(row.received_zat),
        refundedZat: BigInt(row.refunded_zat),
        invoices: num(row.invoices),
      }))
    },

    addToDailyTotals: changes =>
      addUp(
        'daily_totals',
        ['account_id', 'day'],
        changes.map(({ accountId, day, receivedZat, refundedZat, invoices }) => ({
          account_id: accountId,
          day,
          received_zat: receivedZat,
          refunded_zat: refundedZat,
          invoices,
        })),
      ),

    async pricesByDay(accountId, from) {
      const rows = await db
        .selectFrom('daily_prices')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('day', '>=', startOfDay(from))
        .where('invoices', '>', 0)
        .orderBy('day')
        .orderBy('currency')
        .execute()
      return rows.map(row => ({
        day: num(row.day),
        currency: row.currency,
        invoices: num(row.invoices),
        units: BigInt(row.units),
        amountZat: BigInt(row.amount_zat),
      }))
    },

    addToDailyPrices: changes =>
      addUp(
        'daily_prices',
        ['account_id', 'day', 'currency'],
        changes.map(({ accountId, day, currency, invoices, units, amountZat }) => ({
          account_id: accountId,
          day,
          currency,
          invoices,
          units,
          amount_zat: amountZat,
        })),
      ),

    countByStatus: (accountId, status, createdFrom, max) =>
      countUpTo(
        db,
        sales(accountId).select('id').where('status', '=', status).where('created_at', '>=', createdFrom),
        max,
      ),

    async needingAttention(accountId, limit) {
      const rows = await sales(accountId)
        .selectAll()
        .where('needs_attention', '=', sql.lit(1))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toInvoice)
    },

    countNeedingAttention: (accountId, max) =>
      countUpTo(db, sales(accountId).select('id').where('needs_attention', '=', sql.lit(1)), max),

    async overpaid(accountId, paidFrom, limit) {
      const rows = await overpaid(accountId, paidFrom).selectAll().orderBy('paid_at', 'desc').limit(limit).execute()
      return rows.map(toInvoice)
    },

    countOverpaid: (accountId, paidFrom, max) => countUpTo(db, overpaid(accountId, paidFrom).select('id'), max),

    async late(accountId, lateFrom, limit) {
      const rows = await late(accountId, lateFrom).selectAll().orderBy('late_at', 'desc').limit(limit).execute()
      return rows.map(toInvoice)
    },

    countUnderpaid: (accountId, createdFrom, max) =>
      countUpTo(
        db,
        sales(accountId)
          .select('id')
          .where('status', '=', 'underpaid')
          .where('created_at', '>=', createdFrom)
          .where(sql<boolean>`received_zat > coalesce(refunded_zat, 0)`),
        max,
      ),

    countLate: (accountId, lateFrom, max) => countUpTo(db, late(accountId, lateFrom).select('id'), max),

    async byIdPrefix(accountId, prefix, limit) {
      const rows = await salesWithoutIndex(accountId)
        .where('public_id', '>=', prefix)
        .where('public_id', '<=', prefix + PREFIX_END)
        .limit(limit)
        .execute()
      return rows.map(toInvoice)
    },

    async byOrderPrefix(accountId, prefix, limit) {
      const rows = await sales(accountId)
        .selectAll()
        .where('order_id', '>=', prefix)
        .where('order_id', '<', prefix + LAST_CHARACTER)
        .orderBy('order_id')
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toInvoice)
    },

    async byTxidPrefix(accountId, prefix, limit) {
      const paidByTxid = db
        .selectFrom('payments')
        .select('invoice_id')
        .where('txid', '>=', prefix)
        .where('txid', '<=', prefix + PREFIX_END)
        .limit(MAX_PAYMENTS)
      const rows = await salesWithoutIndex(accountId).where('id', 'in', paidByTxid).limit(limit).execute()
      return rows.map(toInvoice)
    },

    async viewingKeys(accountId, limit) {
      const rows = await db
        .selectFrom('account_viewing_keys as own')
        .innerJoin('viewing_keys as key', 'key.id', 'own.viewing_key_id')
        .select(['key.id', 'key.sealed'])
        .where('own.account_id', '=', accountId)
        .where('key.sealed', '!=', NO_KEY)
        .orderBy('own.viewing_key_id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ id, sealed }) => ({ id: num(id), sealed }))
    },

    async countByTime(accountId, period, filter = {}) {
      const row = await afterInPeriod(selectedSales(db, accountId, filter), period, null)
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async listByTime(accountId, period, after, limit, filter = {}) {
      const rows = await afterInPeriod(selectedSales(db, accountId, filter), period, after)
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toInvoice)
    },

    totals(accountId, filter, max) {
      const { createdFrom = 0, createdTo } = filter
      const newest = selectedSales(db, accountId, filter)
        .select('received_zat as zat')
        .where('created_at', '>=', createdFrom)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(max)
      return readTotals(db, createdTo === undefined ? newest : newest.where('created_at', '<', createdTo))
    },
  }
}

/** The sums of a deleted account are deleted with it. A reorganisation may still change its invoices. */
async function keptAccounts(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await inChunks(ids, 1, batch =>
    db.selectFrom('accounts').select('id').where('id', 'in', batch).where('erased_at', 'is', null).execute(),
  )
  return new Set(rows.map(row => num(row.id)))
}
