import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** A row that cannot be written: each such write of a row with this text in the column fails, as by a broken constraint. */
export interface PoisonRow {
  readonly table: string
  /** Several are joined by ` || `. */
  readonly column: string
  readonly value: string
  readonly on: 'INSERT' | 'UPDATE' | 'DELETE'
}

const names = new Map<string, number>()

/** @returns a function that repairs the row */
export async function poisonRow(databaseUrl: string, row: PoisonRow): Promise<() => Promise<void>> {
  const count = (names.get(databaseUrl) ?? 0) + 1
  names.set(databaseUrl, count)
  const name = `poison_${count}`
  const { table, column, value, on } = row
  const record = on === 'DELETE' ? 'OLD' : 'NEW'
  const expression = column.split(' || ').map(name => `CAST(${record}.${name} AS TEXT)`)
  const condition = `${expression.join(' || ')} = '${value}'`
  if (databaseUrl.startsWith('sqlite:')) {
    await run(databaseUrl, [
      `CREATE TRIGGER ${name} BEFORE ${on} ON ${table} WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'poison'); END`,
    ])
    return () => run(databaseUrl, [`DROP TRIGGER ${name}`])
  }
  await run(databaseUrl, [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'poison'; END $$`,
    `CREATE TRIGGER ${name} BEFORE ${on} ON ${table} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION ${name}()`,
  ])
  return () => run(databaseUrl, [`DROP TRIGGER ${name} ON ${table}`])
}

/** Runs statements outside the service, such as an update that makes a row unreadable. */
export async function run(databaseUrl: string, statements: readonly string[]): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length))
    try {
      for (const statement of statements) database.exec(statement)
    } finally {
      database.close()
    }
    return
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
