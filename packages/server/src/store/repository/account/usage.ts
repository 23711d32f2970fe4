import { sql } from 'kysely'
import type { UsageRepository } from '../../../ports/repository/account/usage.ts'
import { filledStatement } from '../../kept-statement.ts'
import { num } from '../../mapping.ts'
import type { Db, Int64 } from '../../tables.ts'
import { int, text } from '../../values.ts'

export interface UsageIncrement {
  readonly accountId: number
  readonly month: string
  readonly limit: number | null
}

export type IncrementResult = Awaited<ReturnType<UsageRepository['increment']>>

export function usageRepository(db: Db): UsageRepository {
  return {
    used: (accountId, month) => usedIn(db, { accountId, month }),

    async increment(accountId, month, limit) {
      const [result] = await incrementAll(db, [{ accountId, month, limit }])
      return result as IncrementResult
    },
  }
}

/** Counts several increments with one statement for each limit. Returns one result for each, in their order. */
export async function incrementAll(db: Db, increments: readonly UsageIncrement[]): Promise<IncrementResult[]> {
  const byLimit = Map.groupBy(increments, item => item.limit ?? Number.MAX_SAFE_INTEGER)
  const results = new Map<UsageIncrement, IncrementResult>()
  // Every process locks the rows in the same order: by limit, then by account.
  for (const [limit, same] of [...byLimit].sort(([a], [b]) => a - b)) await incrementUpTo(db, limit, same, results)
  return increments.map(item => results.get(item) as IncrementResult)
}

async function incrementUpTo(
  db: Db,
  limit: number,
  increments: readonly UsageIncrement[],
  results: Map<UsageIncrement, IncrementResult>,
): Promise<void> {
  const groups = Map.groupBy(increments, item => `${item.month} ${item.accountId}`)
  const counted = await count(
    db,
    limit,
    [...groups.values()].filter(group => group.length <= limit),
  )
  for (const [key, group] of groups) {
    const after = counted.get(key)
    const used = after ?? (await usedIn(db, group[0] as UsageIncrement))
    if (after === undefined && used < limit && group.length > 1) {
      for (const item of group) await incrementUpTo(db, limit, [item], results)
      continue
    }
    for (const [index, item] of group.entries()) {
      results.set(
        item,
        after === undefined ? { counted: false, used } : { counted: true, used: used - group.length + index + 1 },
      )
    }
  }
}

/** Adds to the counts of accounts and months whose sum stays within the limit, which is bound behind the rows. */
const add = filledStatement<{ account_id: Int64; month: string; used: Int64 }>(
  rows => sql`INSERT INTO monthly_usage (account_id, month, used) SELECT * FROM ${rows([int(0), text(''), int(0)])}
    ON CONFLICT (account_id, month) DO UPDATE SET used = monthly_usage.used + excluded.used
      WHERE monthly_usage.used + excluded.used <= ${0}
    RETURNING account_id, month, used`,
)

/** Counts each group as a whole where the limit allows. @returns the counts after, by `month account` */
async function count(
  db: Db,
  limit: number,
  groups: readonly (readonly UsageIncrement[])[],
): Promise<Map<string, number>> {
  if (groups.length === 0) return new Map()
  const rows = groups
    .map(group => ({ ...(group[0] as UsageIncrement), used: group.length }))
    .sort((a, b) => a.accountId - b.accountId)
    .map(({ accountId, month, used }) => [accountId, month, used])
  const counted = await add(db, rows, [limit])
  return new Map(counted.map(row => [`${row.month} ${row.account_id}`, num(row.used)]))
}

async function usedIn(db: Db, { accountId, month }: Pick<UsageIncrement, 'accountId' | 'month'>): Promise<number> {
  const row = await db
    .selectFrom('monthly_usage')
    .select('used')
    .where('account_id', '=', accountId)
    .where('month', '=', month)
    .executeTakeFirst()
  return row ? num(row.used) : 0
}
