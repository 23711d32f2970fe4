import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Migration } from './migrations/index.ts'

/** A migration that is about to run. */
export interface MigrationProgress {
  /** Such as `0002_orders`. */
  readonly name: string
  /** Its number, from 1, of `count`. */
  readonly index: number
  readonly count: number
}

/** Follows the migrations of a database, and stops them. */
export interface MigrationWatch {
  /** Called before each migration of an existing database. */
  readonly onProgress?: (progress: MigrationProgress) => void
  /** Stops the migrations after the present statement: the database stays as it was. */
  readonly signal?: AbortSignal
}

/**
 * Applies the migrations that the database lacks. Runs in a transaction that excludes every other process.
 * @throws Error when the database has a migration that this code does not know; the reason of the signal
 */
export async function migrate(
  db: Kysely<unknown>,
  dialect: Dialect,
  migrations: readonly Migration[],
  { onProgress, signal }: MigrationWatch = {},
): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)`.execute(db)
  const applied = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(db)
  const appliedNames = applied.rows.map(row => row.name)
  checkKnown(appliedNames, migrations)
  const pending = migrations.slice(appliedNames.length)
  for (const [index, [name, statements]] of pending.entries()) {
    if (appliedNames.length > 0) onProgress?.({ name, index: index + 1, count: pending.length })
    for (const statement of statements(dialect)) {
      await sql.raw(statement).execute(db)
      if (signal === undefined) continue
      // Signals arrive between turns of the event loop, and statements of SQLite leave none.
      await yieldToEventLoop()
      signal.throwIfAborted()
    }
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
