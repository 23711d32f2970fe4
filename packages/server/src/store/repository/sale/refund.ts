import { sql } from 'kysely'
import { REFUND_FIELDS, type Refund, type RefundStatus } from '../../../domain/sale/refund.ts'
import type { RefundRepository } from '../../../ports/repository/sale/refund.ts'
import { rowReader, rowValues } from '../../field.ts'
import { chunks, distinctAscending, inChunks, num } from '../../mapping.ts'
import { afterInPeriod, paginate, readPage } from '../../paginate.ts'
import type { Db } from '../../tables.ts'
import { readTotals } from '../../totals.ts'

const toRefund = rowReader<Refund>(REFUND_FIELDS)

const NAMES = Object.keys(REFUND_FIELDS) as (keyof typeof REFUND_FIELDS)[]
const INSERTED = NAMES.filter(name => name !== 'id')
/** A period is a range of the same index. */
const ORDER = ['created_at', 'id'] as const
const CHANGED = ['status', 'address', 'addressFromBuyer', 'txid', 'updatedAt'] as const

export function refundRepository(db: Db): RefundRepository {
  const ofAccount = (accountId: number) => db.selectFrom('refunds').where('account_id', '=', accountId)
  const ofStatus = (accountId: number, status: RefundStatus | undefined) =>
    status === undefined ? ofAccount(accountId) : ofAccount(accountId).where('status', '=', status)
  const all = () => db.selectFrom('refunds').selectAll()
  const first = async (query: { executeTakeFirst(): Promise<object | undefined> }) => {
    const row = await query.executeTakeFirst()
    return row ? toRefund(row) : null
  }

  return {
    async insert(refund, request) {
      const row = {
        ...rowValues(REFUND_FIELDS, refund, INSERTED),
        idempotency_key: request?.key ?? null,
        body_hash: request?.bodyHash ?? null,
      }
      const inserted = await db
        .insertInto('refunds')
        .values(row as never)
        .returningAll()
        .executeTakeFirstOrThrow()
      return toRefund(inserted)
    },

    byPublicId: (accountId, publicId) =>
      first(all().where('public_id', '=', publicId).where('account_id', '=', accountId)),

    async byPublicIds(accountId, publicIds) {
      const rows = await inChunks(publicIds, 1, batch =>
        all().where('public_id', 'in', batch).where('account_id', '=', accountId).orderBy('id').execute(),
      )
      return rows.map(toRefund)
    },

    byLink: linkId => first(all().where('link_id', '=', linkId)),

    async byKey(accountId, key, since) {
      const row = await all()
        .where('account_id', '=', accountId)
        .where('idempotency_key', '=', key)
        .where('created_at', '>=', since)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.body_hash ? { refund: toRefund(row), bodyHash: row.body_hash } : null
    },

    async ofInvoice(invoiceId, limit) {
      const rows = await all().where('invoice_id', '=', invoiceId).orderBy('id', 'desc').limit(limit).execute()
      return rows.map(toRefund)
    },

    async list(accountId, page, status) {
      const cursorOf = (before: string) =>
        db.selectFrom('refunds').select(ORDER).where('public_id', '=', before).where('account_id', '=', accountId)
      const refunds = ofStatus(accountId, status).selectAll()
      return (await readPage(paginate(refunds, page, ORDER, cursorOf), page, cursorOf)).map(toRefund)
    },

    totals(accountId, status, max) {
      const refunds = ofStatus(accountId, status).select('amount_zat as zat')
      return readTotals(db, refunds.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(max))
    },

    async countByTime(accountId, period, status) {
      const row = await afterInPeriod(ofStatus(accountId, status), period, null)
        .select(eb => eb.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow()
      return num(row.count)
    },

    async listByTime(accountId, period, after, limit, status) {
      const rows = await afterInPeriod(ofStatus(accountId, status), period, after)
        .selectAll()
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toRefund)
    },

    async sums(invoiceId) {
      const rows = await db
        .selectFrom('refunds')
        .select([
          'status',
          sql<bigint>`cast(sum(amount_zat) as bigint)`.as('zat'),
          eb => eb.fn.countAll<bigint>().as('count'),
        ])
        .where('invoice_id', '=', invoiceId)
        .where('status', '<>', 'canceled')
        .groupBy('status')
        .execute()
      const add = (sum: bigint, { zat }: { zat: bigint | number }) => sum + BigInt(zat)
      return {
        heldZat: rows.reduce(add, 0n),
        count: rows.reduce((count, row) => count + num(row.count), 0),
        sentZat: rows.filter(({ status }) => status === 'sent').reduce(add, 0n),
      }
    },

    async lock(ids) {
      const rows = await inChunks(distinctAscending(ids), 1, batch =>
        all().where('id', 'in', batch).orderBy('id').forUpdate().execute(),
      )
      return rows.map(toRefund)
    },

    async update(refund) {
      await db
        .updateTable('refunds')
        .set(rowValues(REFUND_FIELDS, refund, CHANGED) as never)
        .where('id', '=', refund.id)
        .execute()
    },

    async markSeen(ids, seenAt) {
      for (const batch of chunks(distinctAscending(ids), 1))
        await db
          .updateTable('refunds')
          .set({ seen_at: seenAt })
          .where('id', 'in', batch)
          .where('seen_at', 'is', null)
          .execute()
    },
  }
}
