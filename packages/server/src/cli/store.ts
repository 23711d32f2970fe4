import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createDataDir } from '../adapters/system/data-dir.ts'
import type { Config } from '../config/settings.ts'
import type { Store } from '../ports/store.ts'
import { openStore, sqliteFile } from '../store/open.ts'
import { withMigrations } from './migration.ts'
import type { Output } from './output.ts'

type DatabaseConfig = Pick<Config, 'dataDir' | 'databaseUrl'>

export interface StoreUse {
  /** The command may be the first to use the database. Default: false */
  readonly create?: boolean
  /** Prints each migration. Default: they are silent */
  readonly out?: Output
}

/**
 * Opens the database for one command; the service may be running at the same time.
 * @throws Error when there is no database and the command may not create it
 */
export async function withStore<T>(
  config: DatabaseConfig,
  work: (store: Store) => Promise<T>,
  { create = false, out }: StoreUse = {},
): Promise<T> {
  if (create) createDataDir(config.dataDir)
  else requireDatabase(config)
  const store = out
    ? await withMigrations(out.note, migration => openStore(config.databaseUrl, { migration }))
    : await openStore(config.databaseUrl)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The path of the SQLite file that does not exist; null when it does, and for PostgreSQL. */
export function missingDatabase({ databaseUrl }: Pick<Config, 'databaseUrl'>): string | null {
  const file = sqliteFile(databaseUrl)
  return file === null || existsSync(file) ? null : resolve(file)
}

/** A command must not create an empty database where a path is mistyped. */
export function requireDatabase(config: Pick<Config, 'databaseUrl'>): void {
  const file = missingDatabase(config)
  if (file !== null)
    throw new Error(`there is no database at ${file}: check DATA_DIR and DATABASE_URL; the first start creates it`)
}
