import type { DatabaseSync } from 'node:sqlite'

/** Restores the content that a database had when this was created. The schema and open statements stay valid. */
export function createReset(database: DatabaseSync): () => void {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(row => String(row.name))
  const hasSequences =
    database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get() !== undefined
  const cleared = [...names, ...(hasSequences ? ['sqlite_sequence'] : [])]
  const deletes = cleared.map(name => database.prepare(`DELETE FROM "${name}"`))
  const inserts = names.flatMap(name => {
    const rows = database.prepare(`SELECT * FROM "${name}"`).all()
    return rows.map(row => {
      const columns = Object.keys(row)
      const insert = database.prepare(
        `INSERT INTO "${name}" (${columns.map(column => `"${column}"`).join()}) VALUES (${columns.map(() => '?').join()})`,
      )
      return { insert, values: Object.values(row) }
    })
  })
  return () => {
    database.exec('BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON')
    for (const statement of deletes) statement.run()
    for (const { insert, values } of inserts) insert.run(...values)
    database.exec('COMMIT')
  }
}

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

/** Replaces the content of these tables. */
export function restoreTables(database: DatabaseSync, tables: readonly TableCopy[]): void {
  database.exec('BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON')
  for (const { name } of tables) database.exec(`DELETE FROM "${name}"`)
  for (const { name, rows } of tables) {
    const columns = Object.keys(rows[0] ?? {})
    if (columns.length === 0) continue
    const names = columns.map(column => `"${column}"`).join()
    const insert = database.prepare(`INSERT INTO "${name}" (${names}) VALUES (${columns.map(() => '?').join()})`)
    for (const row of rows) insert.run(...Object.values(row))
  }
  database.exec('COMMIT')
}
