import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, type TestContext } from 'node:test'
import pg from 'pg'
import type { Store } from '../../src/ports/store.ts'
import type { StoreLimits } from '../../src/store/limits.ts'
import { DEFAULT_LIMITS } from '../../src/store/limits.ts'
import type { MigrationWatch } from '../../src/store/migrate.ts'
import type { Migration } from '../../src/store/migrations/index.ts'
import { MIGRATIONS } from '../../src/store/migrations/index.ts'
import { createPgPool } from '../../src/store/postgres/driver.ts'
import { openPostgresStore } from '../../src/store/postgres/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import type { TestPglite } from './pglite.ts'
import { findPostgres, keptCluster, NO_POSTGRES, startPostgres, type TestPostgres } from './postgres.ts'
import { createSqliteFile } from './sqlite-template.ts'
import { readTables } from './tables.ts'
import { IS_WEBHOOK_EVENT } from './webhook-event.ts'

export interface OpenOptions {
  readonly limits?: Partial<StoreLimits>
  readonly migrations?: readonly Migration[]
  readonly onError?: (error: unknown) => void
  readonly migration?: MigrationWatch
}

/** The database of one test. Several stores open on it act as several processes. */
export interface TestDatabase {
  /** As in the setting `DATABASE_URL`. Empty on PGlite. */
  readonly url: string
  open(options?: OpenOptions): Promise<Store>
  /** The bodies of an account's public events, oldest first. */
  events(accountId: number): Promise<Record<string, unknown>[]>
  /** All rows of all tables as text, with bytes in hexadecimal digits. */
  dump(): Promise<string>
}

/** A database that the store supports. */
export interface DatabaseEngine {
  readonly name: 'SQLite' | 'PGlite' | 'PostgreSQL'
  /** Creates a database without rows, removed after the test. */
  createDatabase(test: TestContext): Promise<TestDatabase>
}

/** Declares the tests once for SQLite and once for PostgreSQL, which is skipped when it is not installed. */
export function onBothDatabases(declare: (engine: DatabaseEngine) => void): void {
  describe('SQLite', () => declare(sqliteEngine))
  onPostgres(declare)
}

/** For cases that cannot occur on SQLite, where one transaction writes at a time. */
export function onPostgres(declare: (engine: DatabaseEngine) => void): void {
  describePostgres('PostgreSQL', server => declare(postgresEngine(server)))
}

/** Declares tests with their own PostgreSQL server. They are skipped when it is not installed. */
export function describePostgres(name: string, declare: (server: () => TestPostgres) => void): void {
  const bin = findPostgres()
  describe(name, { skip: bin === null && NO_POSTGRES }, () => {
    let server: TestPostgres
    before(async () => {
      server = await startPostgres(bin as string, { copyOf: await keptCluster(bin as string) })
    })
    after(() => server?.stop())
    declare(() => server)
  })
}

/** Opens a store on an empty database. */
export async function openEmptyStore(engine: DatabaseEngine, test: TestContext, options?: OpenOptions): Promise<Store> {
  const database = await engine.createDatabase(test)
  return database.open(options)
}

/** Opens a store on an empty SQLite file. Both are removed after the test. */
export async function sqliteStore(test: TestContext): Promise<{ store: Store; file: string }> {
  const { url, open } = await sqliteEngine.createDatabase(test)
  return { store: await open(), file: url.slice('sqlite:'.length) }
}

export const sqliteEngine: DatabaseEngine = {
  name: 'SQLite',
  async createDatabase(test) {
    const folder = mkdtempSync(join(tmpdir(), 'zatgate-store-'))
    test.after(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'zatgate.db')
    await createSqliteFile(file)
    const url = `sqlite:${file}`
    return {
      url,
      open: opener(test, options => openDatabase(url, options)),
      events: async accountId => readEvents(file, accountId),
      dump: async () => JSON.stringify(await readTables(url)),
    }
  },
}

export function postgresEngine(server: () => TestPostgres): DatabaseEngine {
  return {
    name: 'PostgreSQL',
    async createDatabase(test) {
      const url = await server().migratedDatabase()
      const open = opener(test, options => openDatabase(url, options))
      const dump = async () => JSON.stringify(await readTables(url))
      return { url, open, events: accountId => readPostgresEvents(url, accountId), dump }
    },
  }
}

export function pgliteEngine(pglite: () => TestPglite): DatabaseEngine {
  const noConnection = () => Promise.reject(new Error('PGlite has one connection, which the store uses'))
  return {
    name: 'PGlite',
    async createDatabase(test) {
      await pglite().reset()
      return {
        url: '',
        open: opener(test, options => openPostgresStore(pglite().source(), ...settings(options), options?.migration)),
        events: noConnection,
        dump: noConnection,
      }
    },
  }
}

/** The bodies of the events of an account's webhook in a SQLite file, oldest first. */
export function readEvents(file: string, accountId: number): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database
      .prepare(`SELECT body FROM events WHERE account_id = ? AND ${IS_WEBHOOK_EVENT} ORDER BY seq`)
      .all(accountId)
    return rows.map(row => JSON.parse(String(row.body)))
  } finally {
    database.close()
  }
}

async function readPostgresEvents(url: string, accountId: number): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT body FROM events WHERE account_id = $1 AND ${IS_WEBHOOK_EVENT} ORDER BY seq`,
      [accountId],
    )
    return rows.map(row => JSON.parse(row.body))
  } finally {
    await client.end()
  }
}

/** Opens a store on a database of either engine. */
export async function openDatabase(url: string, options: OpenOptions = {}): Promise<Store> {
  const [migrations, limits, onError] = settings(options)
  return url.startsWith('sqlite:')
    ? openSqliteStore(url.slice('sqlite:'.length), migrations, limits, onError, { migration: options.migration })
    : openPostgresStore(createPgPool(url, limits, onError), migrations, limits, onError, options.migration)
}

/** Closes the opened stores after the test. */
function opener(test: TestContext, open: (options: OpenOptions) => Promise<Store>): TestDatabase['open'] {
  return async (options = {}) => {
    const store = await open(options)
    test.after(() => store.close())
    return store
  }
}

function settings(options: OpenOptions) {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const onError = options.onError ?? ((error: unknown) => console.error('store error', error))
  return [options.migrations ?? MIGRATIONS, limits, onError] as const
}
