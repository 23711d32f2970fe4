import type { Kysely, KyselyPlugin } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import { planMigrations } from './migration-plan.ts'
import type { Migration } from './migrations/index.ts'

/** How far the migrations of a database are. */
export interface MigrationProgress {
  /** The migration that runs, such as `0006_dashboard`. */
  readonly name: string
  /** Its number, from 1, of `count`. */
  readonly index: number
  readonly count: number
  /** Rows that were read or written, of those of all migrations. */
  readonly rows: number
  readonly totalRows: number
}

/** Follows the migrations of a database, and stops them. */
export interface MigrationWatch {
  /** Called before each statement. Not called for a new database. */
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
  watch: MigrationWatch = {},
): Promise<void> {
  await sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)`.execute(db)
  const applied = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(db)
  const appliedNames = applied.rows.map(row => row.name)
  checkKnown(appliedNames, migrations)
  const pending = migrations.slice(appliedNames.length)
  const isFollowed = appliedNames.length > 0 && pending.length > 0 && (watch.onProgress ?? watch.signal) !== undefined
  const follow = isFollowed ? await createFollower(db, dialect, pending, watch) : null
  for (const [name, up] of pending) {
    await up(follow ? db.withPlugin(follow.begin(name)) : db, dialect)
    await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(db)
  }
}

/** Reports and can stop each migration between two of its statements. */
async function createFollower(
  db: Kysely<unknown>,
  dialect: Dialect,
  pending: readonly Migration[],
  { onProgress = () => {}, signal }: MigrationWatch,
): Promise<{ begin(name: string): KyselyPlugin }> {
  const plan = await planMigrations(db, dialect, pending)
  const totalRows = sum(plan.flatMap(({ rows }) => rows))
  return {
    begin(name) {
      const index = plan.findIndex(planned => planned.name === name)
      const { rows } = plan[index]!
      const before = sum(plan.slice(0, index).flatMap(planned => planned.rows))
      let statements = 0
      const report = () =>
        onProgress({
          name,
          index: index + 1,
          count: plan.length,
          rows: before + sum(rows.slice(0, statements)),
          totalRows,
        })
      report()
      return {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          statements += 1
          report()
          // Signals arrive between turns of the event loop, and statements of SQLite leave none.
          if (signal) await new Promise(resolve => setImmediate(resolve))
          signal?.throwIfAborted()
          return result
        },
      }
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
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
