import type { Int64 } from './tables.ts'

export function num(value: Int64): number {
  return Number(value)
}

export function numOrNull(value: Int64 | null): number | null {
  return value === null ? null : Number(value)
}

/** Distinct ids, ascending. Rows are always locked in this order, so that transactions do not deadlock. */
export function distinctInvoiceIds(rows: readonly { invoice_id: Int64 }[]): number[] {
  return distinctAscending(rows.map(row => Number(row.invoice_id)))
}

/** The distinct ids, ascending. */
export function distinctAscending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b)
}

/** The last item repeated up to a length that is a power of two, so that few statements are prepared. */
export function padToPowerOfTwo<T>(items: readonly T[]): readonly T[] {
  const length = 2 ** Math.ceil(Math.log2(items.length))
  return Array.from({ length }, (_, index) => items[Math.min(index, items.length - 1)] as T)
}

/** Maximum of values bound in one statement. SQLite allows 32,766, PostgreSQL 65,535. */
const MAX_BINDS = 16_000

/** Slices of `items` that fit one statement, where each item binds `width` values. */
export function* chunks<T>(items: readonly T[], width: number): Generator<readonly T[]> {
  const size = Math.floor(MAX_BINDS / width)
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** The rows of a statement that runs once for each slice of `items`, in their order. */
export async function inChunks<T, Row>(
  items: readonly T[],
  width: number,
  run: (batch: readonly T[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: (readonly Row[])[] = []
  for (const batch of chunks(items, width)) found.push(await run(batch))
  return found.flat()
}
