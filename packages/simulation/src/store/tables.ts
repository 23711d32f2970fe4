import type { DatabaseSync } from 'node:sqlite'

/** Reads the committed state by SQL, with cached statements. Integers are bigint. */
export function createReader(database: DatabaseSync): <T>(sql: string, ...values: (string | number | bigint)[]) => T[] {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return (sql, ...values) => {
    let statement = statements.get(sql)
    if (!statement) {
      statement = database.prepare(sql)
      statement.setReadBigInts(true)
      statements.set(sql, statement)
    }
    return statement.all(...values) as never
  }
}

/** The rows of one table. */
export interface TableCopy {
  readonly name: string
  readonly rows: readonly Record<string, never>[]
}

/** Copies the content of all tables, and the counters of their keys. */
export function copyTables(database: DatabaseSync): TableCopy[] {
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name NOT LIKE 'sqlite_%' OR name = 'sqlite_sequence')",
    )
    .all()
  return tables.map(({ name }) => {
    const select = database.prepare(`SELECT * FROM "${name}"`)
    select.setReadBigInts(true)
    return { name: String(name), rows: select.all() as Record<string, never>[] }
  })
}

/** Prepares to replace the content of the database by the copy. The schema and open statements stay valid. */
export function prepareRestore(database: DatabaseSync, tables: readonly TableCopy[]): () => void {
  const isFilled = tables.map(({ name }) => `EXISTS (SELECT 1 FROM "${name}") AS "${name}"`)
  const filled = database.prepare(`SELECT ${isFilled.join()}`)
  const deletes = new Map(tables.map(({ name }) => [name, database.prepare(`DELETE FROM "${name}"`)]))
  const inserts = tables.flatMap(({ name, rows }) => {
    const columns = Object.keys(rows[0] ?? {})
    if (columns.length === 0) return []
    const names = columns.map(column => `"${column}"`).join()
    const insert = database.prepare(`INSERT INTO "${name}" (${names}) VALUES (${columns.map(() => '?').join()})`)
    return rows.map(row => ({ insert, values: Object.values(row) }))
  })
  return () => {
    database.exec('BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON')
    for (const [name, isFilled] of Object.entries(filled.get()!)) if (isFilled) deletes.get(name)!.run()
    for (const { insert, values } of inserts) insert.run(...values)
    database.exec('COMMIT')
  }
}
