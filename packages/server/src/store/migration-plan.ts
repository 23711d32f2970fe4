import type { CompiledQuery, DatabaseConnection, Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Migration } from './migrations/index.ts'
import { NonStreamingConnection } from './transaction/connection.ts'
import { openDb } from './transaction/open-db.ts'

/** The statements of a migration, each with the number of rows that it reads or writes. */
export interface PlannedMigration {
  readonly name: string
  readonly rows: readonly number[]
}

/** Statements whose time depends on the rows of a table. Adding a column or a table does not. */
const ROW_STATEMENTS = [
  /^CREATE (?:UNIQUE )?INDEX \w+\s+ON (\w+)/,
  /^UPDATE (\w+)/,
  /^DELETE FROM (\w+)/,
  /^INSERT INTO \w+[\s\S]*?SELECT[\s\S]*? FROM (\w+)/,
]

/**
 * Counts the rows that each statement of these migrations works on, as they are now. Rows of tables that the migrations
 * create are not counted.
 */
export async function planMigrations(
  db: Kysely<unknown>,
  dialect: Dialect,
  migrations: readonly Migration[],
): Promise<PlannedMigration[]> {
  const recorded = []
  for (const [name, up] of migrations) recorded.push({ name, statements: await statementsOf(up, dialect) })
  const all = recorded.flatMap(({ statements }) => statements)
  const created = new Set(all.flatMap(text => /^CREATE TABLE (\w+)/.exec(text)?.[1] ?? []))
  const rows = new Map<string, number>()
  for (const table of new Set(all.flatMap(text => tableOf(text) ?? []))) {
    if (!created.has(table)) rows.set(table, await countRows(db, table))
  }
  return recorded.map(({ name, statements }) => ({
    name,
    rows: statements.map(text => rows.get(tableOf(text) ?? '') ?? 0),
  }))
}

function tableOf(text: string): string | undefined {
  return ROW_STATEMENTS.map(pattern => pattern.exec(text)?.[1]).find(table => table !== undefined)
}

async function countRows(db: Kysely<unknown>, table: string): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`SELECT count(*) AS count FROM ${sql.table(table)}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** The statements of a migration, which do not depend on the data. None is executed. */
export async function statementsOf(up: Migration[1], dialect: Dialect): Promise<readonly string[]> {
  const recorder = new RecordingConnection()
  await up(openDb<unknown>(recorder, dialect), dialect)
  return recorder.statements
}

class RecordingConnection extends NonStreamingConnection implements DatabaseConnection {
  readonly statements: string[] = []

  async executeQuery({ sql: text }: CompiledQuery): Promise<{ rows: never[] }> {
    this.statements.push(text.trim())
    return { rows: [] }
  }
}
