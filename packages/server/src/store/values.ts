import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

// The first row of a VALUES list sets the column types, and PostgreSQL treats untyped parameters as text.

export function int(value: bigint | number | null): RawBuilder<unknown> {
  return sql`cast(${value} as bigint)`
}

export function text(value: string | null): RawBuilder<unknown> {
  return sql`cast(${value} as text)`
}

/** A row of a VALUES list. */
export function valuesRow(...values: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql`(${sql.join(values)})`
}
