import type { Expression, SelectQueryBuilder } from 'kysely'
import { sql } from 'kysely'
import { invalidField } from '../domain/error.ts'
import type { Page, Period, TimePosition } from '../ports/repository/page.ts'
import type { Dialect } from './dialect.ts'

/** Finds the record with a public id, for its columns to order by. It returns no row when the account has none. */
type CursorOf = (before: string) => Expression<unknown> & { executeTakeFirst(): Promise<unknown> }

interface PageFrom<Cursor> {
  readonly limit: number
  readonly before?: Cursor | undefined
  readonly after?: Cursor | undefined
}

/**
 * Limits a query to a page, newest first. Those after a record come oldest first, which `readPage` reverses.
 * @param columns the columns to order by, which identify a row
 * @param cursorOf subquery for these columns. Without a record the page is empty.
 */
export function paginate<DB, TB extends keyof DB, O, Cursor>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: PageFrom<Cursor>,
  columns: readonly string[],
  cursorOf: (cursor: Cursor) => Expression<unknown>,
): SelectQueryBuilder<DB, TB, O> {
  const { before, after } = page
  const refs = columns.map(column => sql.ref(column))
  const ordered = inOrder(query, page, columns)
  if (after !== undefined) return ordered.where(sql<boolean>`(${sql.join(refs)}) > ${cursorOf(after)}`)
  if (before === undefined) return ordered
  return ordered.where(sql<boolean>`(${sql.join(refs)}) < ${cursorOf(before)}`)
}

/** A column that comes before the id in an index, and the value that the rows of a page have there. */
export interface Group<Column extends string = string> {
  readonly column: Column
  readonly value: number | string
}

/**
 * Limits the rows of a group to a page, as `paginate` does. The group is a range of one value and comes first in the order:
 * with `column = value ORDER BY id`, PostgreSQL may follow the primary key through the rows of all accounts. On SQLite a
 * page after a cursor has that form: by rows it would read the group from its beginning.
 * @param cursorOf the id of the row of a cursor
 */
export function paginateGroup<DB, TB extends keyof DB, O, Cursor>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: PageFrom<Cursor>,
  { column, value, id = 'id' }: Group & { readonly id?: string },
  cursorOf: (cursor: Cursor) => Expression<unknown>,
  { name: dialect }: Dialect,
): SelectQueryBuilder<DB, TB, O> {
  const { before, after } = page
  const ref = sql.ref(column)
  if (dialect === 'sqlite' && (before ?? after) !== undefined)
    return paginate(query.where(sql<boolean>`${ref} = ${value}`), page, [id], cursorOf)
  const row = sql`(${ref}, ${sql.ref(id)})`
  const from =
    after === undefined ? sql<boolean>`${ref} >= ${value}` : sql<boolean>`${row} > (${value}, ${cursorOf(after)})`
  const to =
    before === undefined ? sql<boolean>`${ref} <= ${value}` : sql<boolean>`${row} < (${value}, ${cursorOf(before)})`
  return inOrder(query.where(from).where(to), page, [column, id])
}

function inOrder<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { limit, after }: PageFrom<unknown>,
  columns: readonly string[],
): SelectQueryBuilder<DB, TB, O> {
  const direction = after === undefined ? 'desc' : 'asc'
  return columns.reduce((list, column) => list.orderBy(sql.ref(column), direction), query).limit(limit)
}

/**
 * Limits a query to the rows of a period after a position, which is in the period. The position replaces the start of the
 * period: with both, SQLite would read the index from the start of the period on.
 */
export function afterInPeriod<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  { from, to }: Period,
  after: TimePosition | null,
): SelectQueryBuilder<DB, TB, O> {
  const start =
    after === null
      ? sql<boolean>`created_at >= ${from}`
      : sql<boolean>`(created_at, id) > (${after.createdAt}, ${after.id})`
  return query.where(start).where(sql<boolean>`created_at < ${to}`)
}

/** Reads a paginated query. @throws AppError `invalid_before`, `invalid_after` when the account has no record with that id */
export async function readPage<R>(
  query: { execute(): Promise<R[]> },
  { before, after }: Page,
  cursorOf: CursorOf,
): Promise<R[]> {
  const rows = await query.execute()
  const cursor = after ?? before
  if (rows.length === 0 && cursor !== undefined && !(await cursorOf(cursor).executeTakeFirst()))
    throw invalidField(after === undefined ? 'before' : 'after', 'the id of a row of this list')
  return after === undefined ? rows : rows.reverse()
}
