import type { Int } from './tables.ts'

export function num(value: Int): number {
  return Number(value)
}

export function numOrNull(value: Int | null): number | null {
  return value === null ? null : Number(value)
}

/** Ids without doubles, ascending: the one order in which rows are locked, so that lockers do not deadlock. */
export function distinctIds(rows: readonly { invoice_id: Int }[]): number[] {
  return ascending(rows.map(row => Number(row.invoice_id)))
}

export function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}

/** With the last one repeated up to a power of two: lists of all lengths are few statements to prepare. */
export function padded<T>(items: readonly T[]): readonly T[] {
  const length = 2 ** Math.ceil(Math.log2(items.length))
  return Array.from({ length }, (_, at) => items[Math.min(at, items.length - 1)] as T)
}

/** Most values bound in one statement: SQLite takes 32,766, PostgreSQL 65,535. */
const MAX_BINDS = 16_000

/** `items` in slices that fit one statement, when each item binds `width` values. */
export function* chunks<T>(items: readonly T[], width: number): Generator<readonly T[]> {
  const size = Math.floor(MAX_BINDS / width)
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}
