import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Migration } from './migrations/index.ts'

/**
 * Brings the tables up to this code, forward only. Runs inside a transaction that keeps every other process out.
 * @throws Error when the database has a migration that this code does not know.
 */
export async function migrate(db: Kysely<unknown>, dialect: Dialect, migrations: readonly Migration[]): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)`.execute(db)
  const applied = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(db)
  const done = applied.rows.map(row => row.name)
  checkKnown(done, migrations)
  for (const [name, up] of migrations.slice(done.length)) {
    await up(db, dialect)
    await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(db)
  }
}

function checkKnown(done: readonly string[], migrations: readonly Migration[]): void {
  const stranger = done.find((name, index) => migrations[index]?.[0] !== name)
  if (stranger === undefined) return
  throw new Error(
    `the database is newer than this zatgate: it has the migration ${stranger}, which this version does not know. ` +
      'Start the version that wrote it, or restore a backup made before',
  )
}
