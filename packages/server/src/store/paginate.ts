import type { Expression, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Page } from '../ports/repository/page.ts'

/**
 * Limits a query to a page, newest first.
 * @param columns the columns to order by, which identify a row
 * @param cursorOf subquery for these columns of the record with a public id. It returns no row, and the page is empty,
 * when the account has no such record.
 */
export function paginate<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { limit, before }: Page,
  columns: readonly string[],
  cursorOf: (before: string) => Expression<unknown>,
): SelectQueryBuilder<DB, TB, O> {
  const refs = columns.map(column => sql.ref(column))
  const ordered = refs.reduce((list, ref) => list.orderBy(ref, 'desc'), query).limit(limit)
  if (before === undefined) return ordered
  return ordered.where(sql<boolean>`(${sql.join(refs)}) < ${cursorOf(before)}`)
}
