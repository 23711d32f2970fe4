import { type Compilable, CompiledQuery, type DialectAdapter, type RawBuilder, sql } from 'kysely'
import type { Db } from './tables.ts'
import { valuesRow } from './values.ts'

/** Longest statement whose text is kept: as many items as one commit holds. */
const MAX_KEPT_LENGTH = 128

interface Kept {
  readonly sql: string
  readonly binds: number
}

/**
 * A statement for any number of items whose text is built once for each number and dialect: building it takes longer
 * than running it.
 *
 * @param build Builds the statement for `length` items. Its bound values only hold the places of the real ones.
 * @returns runs the statement for `length` items with their values, in the order in which it binds them
 */
export function keptStatement<Row>(
  build: (db: Db, length: number) => Compilable<Row>,
): (db: Db, length: number, values: readonly unknown[]) => Promise<Row[]> {
  const keptByDialect = new WeakMap<DialectAdapter, Map<number, Kept>>()

  function statement(db: Db, length: number): Kept {
    const { adapter } = db.getExecutor()
    const kept = keptByDialect.get(adapter) ?? new Map<number, Kept>()
    keptByDialect.set(adapter, kept)
    const known = kept.get(length)
    if (known) return known
    const { sql, parameters } = build(db, length).compile()
    const built = { sql, binds: parameters.length }
    if (length <= MAX_KEPT_LENGTH) kept.set(length, built)
    return built
  }

  return async (db, length, values) => {
    const { sql, binds } = statement(db, length)
    if (values.length !== binds) throw new Error(`the statement binds ${binds} values, not ${values.length}`)
    return (await db.executeQuery<Row>(CompiledQuery.raw(sql, [...values]))).rows
  }
}

/**
 * A statement for any number of rows of values. Rows of nulls, which it leaves out, fill up their number to one of few:
 * PostgreSQL prepares each text once on each connection, and holds some 5 KB for each of its rows.
 *
 * @param build Builds the statement from its source of rows, which ends in a condition: `SELECT * FROM ${rows(first)}`. The
 *   first row has the types of the values. The source is named `added`; the first value of a row is not null.
 * @returns runs the statement with the rows, and then the values that it binds behind them
 */
export function filledStatement<Row>(
  build: (rows: (first: readonly RawBuilder<unknown>[]) => RawBuilder<unknown>) => RawBuilder<Row>,
): (db: Db, rows: readonly (readonly unknown[])[], more?: readonly unknown[]) => Promise<Row[]> {
  const run = keptStatement<Row>((db, length) => {
    const statement = build(first => {
      const other = valuesRow(...first.map(() => sql`${null}`))
      const rows = [valuesRow(...first), ...Array.from({ length: length - 1 }, () => other)]
      return sql`(VALUES ${sql.join(rows)}) AS added WHERE added.column1 IS NOT NULL`
    })
    return { compile: () => statement.compile(db) }
  })
  return (db, rows, more = []) => {
    const length = fillUp(rows.length)
    const values = rows.flat()
    const binds = length * (rows[0]?.length ?? 0)
    while (values.length < binds) values.push(null)
    return run(db, length, values.concat(more))
  }
}

/** The next power of two up to 8, then the next multiple of 8. */
function fillUp(length: number): number {
  return length > 8 ? Math.ceil(length / 8) * 8 : 2 ** Math.ceil(Math.log2(length))
}
