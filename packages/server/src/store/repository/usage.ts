import type { UsageRows } from '../../ports/repository/account.ts'
import { num } from '../mapping.ts'
import type { Db } from '../tables.ts'

export interface Take {
  readonly accountId: number
  readonly month: string
  readonly limit: number | null
}

export type Taken = Awaited<ReturnType<UsageRows['take']>>

export function usageRows(db: Db): UsageRows {
  return {
    used: (accountId, month) => usedIn(db, { accountId, month }),

    async take(accountId, month, limit) {
      const [taken] = await takeAll(db, [{ accountId, month, limit }])
      return taken as Taken
    },
  }
}

/** Takes that were asked for together, by as few statements as there are limits; each with its own answer. */
export async function takeAll(db: Db, takes: readonly Take[]): Promise<Taken[]> {
  const byLimit = Map.groupBy(takes, take => take.limit ?? Number.MAX_SAFE_INTEGER)
  const taken = new Map<Take, Taken>()
  // Rows are locked limit by limit and account by account, in every process alike.
  for (const [limit, same] of [...byLimit].sort(([a], [b]) => a - b)) await takeUpTo(db, limit, same, taken)
  return takes.map(take => taken.get(take) as Taken)
}

async function takeUpTo(db: Db, limit: number, takes: readonly Take[], taken: Map<Take, Taken>): Promise<void> {
  const groups = Map.groupBy(takes, take => `${take.month} ${take.accountId}`)
  const counted = await count(
    db,
    limit,
    [...groups.values()].filter(group => group.length <= limit),
  )
  for (const [key, group] of groups) {
    const after = counted.get(key)
    const used = after ?? (await usedIn(db, group[0] as Take))
    if (after === undefined && used < limit && group.length > 1) {
      for (const one of group) await takeUpTo(db, limit, [one], taken)
      continue
    }
    for (const [at, one] of group.entries()) {
      taken.set(one, after === undefined ? { taken: false, used } : { taken: true, used: used - group.length + at + 1 })
    }
  }
}

/** Counts each group as a whole, where that stays within the limit; `month account` → the count after. */
async function count(db: Db, limit: number, groups: readonly (readonly Take[])[]): Promise<Map<string, number>> {
  if (groups.length === 0) return new Map()
  const rows = groups.map(group => {
    const { accountId, month } = group[0] as Take
    return { account_id: accountId, month, used: group.length }
  })
  const counted = await db
    .insertInto('monthly_usage')
    .values(rows.sort((a, b) => a.account_id - b.account_id))
    .onConflict(conflict =>
      conflict
        .columns(['account_id', 'month'])
        .doUpdateSet(eb => ({ used: eb('monthly_usage.used', '+', eb.ref('excluded.used')) }))
        .where(eb => eb(eb('monthly_usage.used', '+', eb.ref('excluded.used')), '<=', limit)),
    )
    .returning(['account_id', 'month', 'used'])
    .execute()
  return new Map(counted.map(row => [`${row.month} ${row.account_id}`, num(row.used)]))
}

async function usedIn(db: Db, { accountId, month }: Pick<Take, 'accountId' | 'month'>): Promise<number> {
  const row = await db
    .selectFrom('monthly_usage')
    .select('used')
    .where('account_id', '=', accountId)
    .where('month', '=', month)
    .executeTakeFirst()
  return row ? num(row.used) : 0
}
