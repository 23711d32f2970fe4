import { after, type TestContext } from 'node:test'
import pg from 'pg'
import type { Store } from '../../src/ports/store.ts'
import { openStore } from '../../src/store/open.ts'
import { readEvents } from './events.ts'
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from './postgres.ts'
import { sqliteStore } from './sqlite.ts'

export interface EngineDatabase {
  readonly store: Store
  /** As in the setting `DATABASE_URL`. */
  readonly url: string
  /** Opens another store on the same database, like a second process. Closed after the test. */
  openAnother(): Promise<Store>
  /** The bodies of an account's public events, oldest first. */
  events(accountId: number): Promise<Record<string, unknown>[]>
}

export interface StoreEngine {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** For the `skip` option of `test`. */
  readonly skip: string | false
  /** Creates an empty database, removed after the test. */
  open(t: TestContext): Promise<EngineDatabase>
}

/** The databases that a service supports. PostgreSQL starts once per test file, when a test first opens it. */
export function storeEngines(): readonly StoreEngine[] {
  const bin = findPostgres()
  let server: Promise<TestPostgres> | undefined
  after(async () => (await server)?.stop())

  return [
    {
      name: 'SQLite',
      skip: false,
      async open(t) {
        const { store, file } = await sqliteStore(t)
        const url = `sqlite:${file}`
        return {
          store,
          url,
          openAnother: () => openForTest(t, url),
          events: async accountId => readEvents(file, accountId),
        }
      },
    },
    {
      name: 'PostgreSQL',
      skip: bin === null ? NO_POSTGRES : false,
      async open(t) {
        server ??= startPostgres(bin ?? '')
        const url = await (await server).freshDatabase()
        return {
          store: await openForTest(t, url),
          url,
          openAnother: () => openForTest(t, url),
          events: accountId => eventsAt(url, accountId),
        }
      },
    },
  ]
}

async function openForTest(t: TestContext, url: string): Promise<Store> {
  const store = await openStore(url)
  t.after(() => store.close())
  return store
}

async function eventsAt(url: string, accountId: number): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(
      'SELECT body FROM events WHERE account_id = $1 AND body IS NOT NULL ORDER BY seq',
      [accountId],
    )
    return rows.map(row => JSON.parse(row.body))
  } finally {
    await client.end()
  }
}
