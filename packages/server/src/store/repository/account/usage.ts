import type { UsageRepository } from '../../../ports/repository/account/usage.ts'
import { keptStatement } from '../../kept-statement.ts'
import { num } from '../../mapping.ts'
import type { Db } from '../../tables.ts'

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

/** Adds to the counts of accounts and months whose sum stays within the limit. `limit` is the last bound value. */
const add = keptStatement((db, length) =>
  db
    .insertInto('monthly_usage')
    .values(Array(length).fill({ account_id: 0, month: '', used: 0 }))
    .onConflict(conflict =>
      conflict
        .columns(['account_id', 'month'])
        .doUpdateSet(eb => ({ used: eb('monthly_usage.used', '+', eb.ref('excluded.used')) }))
        .where(eb => eb(eb('monthly_usage.used', '+', eb.ref('excluded.used')), '<=', 0)),
    )
    .returning(['account_id', 'month', 'used']),
)

/** Counts each group as a whole where the limit allows. @returns the counts after, by `month account` */
async function count(
  db: Db,
  limit: number,
  groups: readonly (readonly UsageIncrement[])[],
): Promise<Map<string, number>> {
  if (groups.length === 0) return new Map()
  const values = groups
    .map(group => ({ ...(group[0] as UsageIncrement), used: group.length }))
    .sort((a, b) => a.accountId - b.accountId)
    .flatMap(({ accountId, month, used }) => [accountId, month, used])
  const counted = await add(db, groups.length, [...values, limit])
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
