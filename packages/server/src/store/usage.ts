import type { UsageRows } from '../ports/account.ts'
import { num } from './mapping.ts'
import type { Db } from './tables.ts'

export function usageRows(db: Db): UsageRows {
  async function used(accountId: number, month: string): Promise<number> {
    const row = await db
      .selectFrom('monthly_usage')
      .select('used')
      .where('account_id', '=', accountId)
      .where('month', '=', month)
      .executeTakeFirst()
    return row ? num(row.used) : 0
  }

  return {
    used,

    async take(accountId, month, limit) {
      if (limit !== null && limit < 1) return { taken: false, used: await used(accountId, month) }
      const row = await db
        .insertInto('monthly_usage')
        .values({ account_id: accountId, month, used: 1 })
        .onConflict(conflict =>
          conflict
            .columns(['account_id', 'month'])
            .doUpdateSet(eb => ({ used: eb('monthly_usage.used', '+', 1) }))
            .where('monthly_usage.used', '<', limit ?? Number.MAX_SAFE_INTEGER),
        )
        .returning('used')
        .executeTakeFirst()
      return row ? { taken: true, used: num(row.used) } : { taken: false, used: await used(accountId, month) }
    },
  }
}
