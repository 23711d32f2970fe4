import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** A row as text by column: digits for numbers, hexadecimal digits for bytes. */
export type Row = Readonly<Record<string, string | null>>

/** All rows of all tables of a database, by table. @param url as in the setting `DATABASE_URL` */
export async function readTables(url: string): Promise<Record<string, Row[]>> {
  return url.startsWith('sqlite:') ? readSqlite(url.slice('sqlite:'.length)) : readPostgres(url)
}

function readSqlite(file: string): Record<string, Row[]> {
  const database = new DatabaseSync(file, { readOnly: true, readBigInts: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const rowsOf = (table: string) => database.prepare(`SELECT * FROM "${table}"`).all().map(textOf)
    return Object.fromEntries(tables.map(({ name }) => [String(name), rowsOf(String(name))]))
  } finally {
    database.close()
  }
}

async function readPostgres(url: string): Promise<Record<string, Row[]>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows: tables } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    const found: Record<string, Row[]> = {}
    for (const { tablename } of tables) {
      const { rows } = await client.query(`SELECT * FROM "${tablename}"`)
      found[tablename] = rows.map(textOf)
    }
    return found
  } finally {
    await client.end()
  }
}

function textOf(row: Readonly<Record<string, unknown>>): Row {
  const text = (value: unknown) =>
    value === null ? null : value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, text(value)]))
}
