import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Store } from '../../src/ports/store.ts'
import type { StoreLimits } from '../../src/store/limits.ts'
import { DEFAULT_LIMITS } from '../../src/store/limits.ts'
import type { Migration } from '../../src/store/migrations/index.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { openStore } from '../../src/store/open.ts'
import { createPgPool } from '../../src/store/postgres/driver.ts'
import { openPostgresStore } from '../../src/store/postgres/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import type { TestPglite } from './pglite.ts'
import type { TestPostgres } from './postgres.ts'

export interface OpenOptions {
  readonly limits?: Partial<StoreLimits>
  readonly migrations?: readonly Migration[]
  readonly onError?: (error: unknown) => void
}

/** The database of one test. Several stores open on it act as several processes. */
export interface TestDatabase {
  /** Set for a database on a PostgreSQL server. */
  readonly url?: string
  open(options?: OpenOptions): Promise<Store>
}

/** A database that the store supports. */
export interface DatabaseEngine {
  readonly name: 'sqlite' | 'pglite' | 'postgres'
  /** Creates an empty database, removed after the test. */
  createDatabase(test: TestContext): Promise<TestDatabase>
}

/** Opens a store on an empty database. */
export async function openEmptyStore(engine: DatabaseEngine, test: TestContext, options?: OpenOptions): Promise<Store> {
  const database = await engine.createDatabase(test)
  return database.open(options)
}

export const sqliteEngine: DatabaseEngine = {
  name: 'sqlite',
  async createDatabase(test) {
    const folder = mkdtempSync(join(tmpdir(), 'zatgate-store-'))
    test.after(() => rmSync(folder, { recursive: true, force: true }))
    return testDatabase(test, options => openSqliteStore(join(folder, 'zatgate.db'), ...settings(options)))
  },
}

export function postgresEngine(server: () => TestPostgres): DatabaseEngine {
  let template: Promise<string> | undefined
  async function createTemplate(): Promise<string> {
    const url = await server().freshDatabase()
    await (await openStore(url)).close()
    return url
  }
  return {
    name: 'postgres',
    async createDatabase(test) {
      template ??= createTemplate()
      const url = await server().freshDatabase(await template)
      const database = testDatabase(test, options => {
        const [migrations, limits, onError] = settings(options)
        return openPostgresStore(createPgPool(url, limits, onError), migrations, limits, onError)
      })
      return { ...database, url }
    },
  }
}

export function pgliteEngine(pglite: () => TestPglite): DatabaseEngine {
  return {
    name: 'pglite',
    async createDatabase(test) {
      await pglite().reset()
      return testDatabase(test, options => openPostgresStore(pglite().source(), ...settings(options)))
    },
  }
}

function testDatabase(test: TestContext, open: (options: OpenOptions) => Promise<Store>): TestDatabase {
  return {
    async open(options = {}) {
      const store = await open(options)
      test.after(() => store.close())
      return store
    },
  }
}

function settings(options: OpenOptions) {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const onError = options.onError ?? ((error: unknown) => console.error('store error', error))
  return [options.migrations ?? MIGRATIONS, limits, onError] as const
}
