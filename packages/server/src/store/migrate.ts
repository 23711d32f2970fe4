import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Migration } from './migrations/index.ts'

/**
 * Applies the migrations that the database lacks. Runs in a transaction that excludes every other process.
 * @throws Error when the database has a migration that this code does not know.
 */
export async function migrate(db: Kysely<unknown>, dialect: Dialect, migrations: readonly Migration[]): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)`.execute(db)
  const applied = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(db)
  const appliedNames = applied.rows.map(row => row.name)
  checkKnown(appliedNames, migrations)
  for (const [name, up] of migrations.slice(appliedNames.length)) {
    await up(db, dialect)
    await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(db)
  }
}

/** @throws Error when a migration was applied that this code does not know */
export function checkKnown(appliedNames: readonly string[], migrations: readonly Migration[]): void {
  const unknown = appliedNames.find((name, index) => migrations[index]?.[0] !== name)
  if (unknown === undefined) return
  throw new Error(
    `the database is newer than this zatgate: it has the migration ${unknown}, which this version does not know. ` +
      'Start the version that wrote it, or restore an earlier backup',
  )
}
