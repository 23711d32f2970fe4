import type { SelectQueryBuilder } from 'kysely'
import { num } from './mapping.ts'
import type { Db } from './tables.ts'

/** Counts the rows of a query, at most `max`. */
// biome-ignore lint/suspicious/noExplicitAny: any query
export async function countUpTo(db: Db, rows: SelectQueryBuilder<any, any, unknown>, max: number): Promise<number> {
  const row = await db
    .selectFrom(rows.limit(max).as('counted'))
    .select(eb => eb.fn.countAll<bigint>().as('count'))
    .executeTakeFirstOrThrow()
  return num(row.count)
}
