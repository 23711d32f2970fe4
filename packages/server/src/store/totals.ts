import { type SelectQueryBuilder, sql } from 'kysely'
import type { Totals } from '../ports/repository/page.ts'
import { num } from './mapping.ts'
import type { Db, Int64 } from './tables.ts'

/** Amounts are summed in two parts: the same coins can be paid again and again, so that a sum may need over 64 bits. */
const PART = 100_000_000n

/** Counts the rows of a query and sums their amounts. @param rows limited by the caller */
export async function readTotals(
  db: Db,
  // biome-ignore lint/suspicious/noExplicitAny: a query of any table
  rows: SelectQueryBuilder<any, any, { readonly zat: Int64 }>,
): Promise<Totals> {
  const row = await db
    .selectFrom(rows.as('counted'))
    .select(eb => eb.fn.countAll<bigint>().as('count'))
    .select(sql<string | bigint>`coalesce(sum(counted.zat / ${sql.lit(Number(PART))}), 0)`.as('whole'))
    .select(sql<string | bigint>`coalesce(sum(counted.zat % ${sql.lit(Number(PART))}), 0)`.as('rest'))
    .executeTakeFirstOrThrow()
  return { count: num(row.count), zat: BigInt(row.whole) * PART + BigInt(row.rest) }
}
