import { DatabaseSync } from 'node:sqlite'
import { checkKnown } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { sqliteFile } from './open.ts'
import { openError } from './open-error.ts'
import { withPgClient } from './postgres/client.ts'

const TIMEOUT_MS = 10_000

/** How the tables of a database compare with this code. */
export interface MigrationState {
  /** False before the first start. */
  readonly hasTables: boolean
  /** The names of the migrations that the next start applies. */
  readonly missing: readonly string[]
}

/**
 * Reads which migrations a database lacks, and changes nothing. A process of an earlier version may be running on it.
 * @param url `sqlite:<path>` of an existing file, or `postgres://…`
 * @throws Error when the database cannot be read or is newer than this code
 */
export async function readMigrationState(url: string): Promise<MigrationState> {
  const applied = await appliedMigrations(url).catch(error => {
    throw openError(url, error)
  })
  if (applied === null) return { hasTables: false, missing: MIGRATIONS.map(([name]) => name) }
  checkKnown(applied, MIGRATIONS)
  return { hasTables: true, missing: MIGRATIONS.slice(applied.length).map(([name]) => name) }
}

/** Null when the database has no tables. */
async function appliedMigrations(url: string): Promise<string[] | null> {
  const file = sqliteFile(url)
  return file === null ? readPostgres(url) : readSqlite(file)
}

function readSqlite(file: string): string[] | null {
  const database = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT_MS })
  try {
    if (!database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'migrations'").get()) return null
    return database
      .prepare('SELECT name FROM migrations ORDER BY name')
      .all()
      .map(({ name }) => String(name))
  } finally {
    database.close()
  }
}

function readPostgres(url: string): Promise<string[] | null> {
  return withPgClient(url, async client => {
    const { rows: found } = await client.query("SELECT to_regclass('migrations') AS name")
    if (found[0]?.name === null) return null
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name')
    return rows.map(({ name }) => name)
  })
}
