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
