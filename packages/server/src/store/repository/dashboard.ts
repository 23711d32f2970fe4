import { sql } from 'kysely'
import { DAY_SECS, startOfDay } from '../../domain/time.ts'
import type { DashboardRepository } from '../../ports/repository/dashboard.ts'
import { num } from '../mapping.ts'
import type { Db } from '../tables.ts'
import { toInvoice } from './invoice.ts'

/** Sorts after every continuation of a hexadecimal prefix, in any collation. */
const PREFIX_END = 'z'.repeat(8)

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

  return {
    async paidByDay(accountId, from) {
      const since = startOfDay(from)
      const day = sql<bigint>`paid_at / ${sql.lit(DAY_SECS)}`
      const rows = await sales(accountId)
        .where('paid_at', '>=', since)
        .select([
          day.as('day'),
          sql<bigint>`cast(sum(received_zat) as bigint)`.as('received'),
          sql<bigint>`count(*)`.as('invoices'),
        ])
        .groupBy(day)
        .orderBy(day)
        .execute()
      return rows.map(row => ({
        day: num(row.day) * DAY_SECS,
        receivedZat: BigInt(row.received),
        invoices: num(row.invoices),
      }))
    },

    async countByStatus(accountId, status, createdFrom) {
      const row = await sales(accountId)
        .where('status', '=', status)
        .where('created_at', '>=', createdFrom)
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async needingAttention(accountId, limit) {
      const rows = await sales(accountId)
        .selectAll()
        .where('needs_attention', '=', sql.lit(1))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toInvoice)
    },

    async countNeedingAttention(accountId) {
      const row = await sales(accountId)
        .where('needs_attention', '=', sql.lit(1))
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async byIdPrefix(accountId, prefix, limit) {
      const rows = await salesWithoutIndex(accountId)
        .where('public_id', '>=', prefix)
        .where('public_id', '<=', prefix + PREFIX_END)
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
      const rows = await salesWithoutIndex(accountId).where('id', 'in', paidByTxid).limit(limit).execute()
      return rows.map(toInvoice)
    },

    async viewingKeyIds(accountId) {
      const rows = await db
        .selectFrom('account_viewing_keys')
        .select('viewing_key_id')
        .where('account_id', '=', accountId)
        .execute()
      return rows.map(row => num(row.viewing_key_id))
    },

    async countByTime(accountId, { from, to }) {
      const row = await sales(accountId)
        .where('created_at', '>=', from)
        .where('created_at', '<', to)
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async listByTime(accountId, { from, to }, after, limit) {
      const rows = await sales(accountId)
        .selectAll()
        .where('created_at', '>=', from)
        .where('created_at', '<', to)
        .$if(after !== null, query =>
          query.where(sql<boolean>`(created_at, id) > (${after?.createdAt ?? 0}, ${after?.id ?? 0})`),
        )
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toInvoice)
    },
  }
}
