import { type Compilable, CompiledQuery, type DialectAdapter } from 'kysely'
import type { Db } from './tables.ts'

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
