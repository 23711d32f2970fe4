import type { SwapRepository } from '../../../ports/repository/sale/swap.ts'
import { num } from '../../mapping.ts'
import type { Db } from '../../tables.ts'

type Starts = Pick<SwapRepository, 'startsSince' | 'countStarts' | 'recordStart' | 'removeStart' | 'prune'>

/** The counted starts of swaps. */
export function swapStartRepository(db: Db): Starts {
  return {
    async startsSince(invoiceId, since) {
      const rows = await db
        .selectFrom('swap_starts')
        .select('started_at')
        .where('invoice_id', '=', invoiceId)
        .where('started_at', '>', since)
        .orderBy('started_at')
        .execute()
      return rows.map(row => num(row.started_at))
    },

    async recordStart(invoiceId, at, since) {
      await db.deleteFrom('swap_starts').where('invoice_id', '=', invoiceId).where('started_at', '<=', since).execute()
      const row = await db
        .insertInto('swap_starts')
        .values({ invoice_id: invoiceId, started_at: at })
        .returning('id')
        .executeTakeFirstOrThrow()
      return { id: num(row.id), invoiceId, at }
    },

    async countStarts(accountId, since) {
      const count = (of: number | null) =>
        db
          .selectFrom('swap_starts')
          .select(eb => eb.fn.countAll<bigint>().as('count'))
          .where('started_at', '>', since)
          .$if(of !== null, query =>
            query
              .innerJoin('invoices', 'invoices.id', 'swap_starts.invoice_id')
              .where('invoices.account_id', '=', of as number),
          )
          .executeTakeFirstOrThrow()
      return { account: num((await count(accountId)).count), service: num((await count(null)).count) }
    },

    async prune(before, limit, skip = 0) {
      const old = db
        .selectFrom('swap_starts')
        .select('id')
        .where('started_at', '<=', before)
        .orderBy('started_at')
        .limit(limit)
        .offset(skip)
      const result = await db.deleteFrom('swap_starts').where('id', 'in', old).executeTakeFirst()
      return num(result.numDeletedRows)
    },

    async removeStart({ id, invoiceId, at }) {
      // SQLite may have used the id of a deleted row again.
      await db
        .deleteFrom('swap_starts')
        .where('id', '=', id)
        .where('invoice_id', '=', invoiceId)
        .where('started_at', '=', at)
        .execute()
    },
  }
}
