import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { DEFAULT_LIMITS } from '@zatgate/server/store/limits'
import type { Migration } from '@zatgate/server/store/migrations/index'
import { createPgPool, type PgClient, type PgSource } from '@zatgate/server/store/postgres/driver'
import { migratePostgres } from '@zatgate/server/store/postgres/migrate'
import pg from 'pg'
import { describePostgres } from '../../../../server/test/harness/databases.ts'
import type { TestPostgres } from '../../../../server/test/harness/postgres.ts'
import { openPostgresServer } from '../../../src/store/postgres/server.ts'

/** A server, real or simulated, with the tables `items` and `parts`. */
export interface Laboratory {
  connect(): Promise<PgClient>
  /** Ends all connections. */
  disconnect(): void
  /** Resolves when the query waits for a lock. @throws when it ends instead */
  waits(query: Promise<unknown>): Promise<void>
  /** Resolves when each of the queries has ended or waits for a lock. Returns those that have ended. */
  settled<T>(queries: readonly Promise<T>[]): Promise<Promise<T>[]>
}

export type OpenLaboratory = (t: TestContext) => Promise<Laboratory>

const TABLES: Migration = [
  '0001_tables',
  ({ id, int, strict }) => [
    `CREATE TABLE items (id ${int} PRIMARY KEY, name TEXT NOT NULL UNIQUE, value ${int} NOT NULL) ${strict}`,
    `CREATE TABLE parts (id ${id}, item_id ${int} NOT NULL REFERENCES items (id), value ${int} NOT NULL) ${strict}`,
  ],
]

/** Declares the tests for the simulated server and for a real one, which is skipped when it is not installed. */
export function onBothServers(declare: (open: OpenLaboratory) => void): void {
  describe('simulated', () => declare(openSimulated))
  describePostgres('real', server => declare(t => openReal(server(), t)))
}

export async function openSimulated(t: TestContext): Promise<Laboratory> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-simulated-'))
  const server = await openPostgresServer(join(folder, 'postgres.db'), [TABLES])
  t.after(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return laboratory(server.source({ name: 'process', alive: true }), nextTurn)
}

export async function openReal(server: TestPostgres, t: TestContext): Promise<Laboratory> {
  const url = await server.freshDatabase()
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET deadlock_timeout = '5ms'`)
  const source = createPgPool(url, { ...DEFAULT_LIMITS, lockTimeoutMs: 60_000 }, () => {})
  await migratePostgres(source, [TABLES])
  let last: Promise<unknown> = Promise.resolve()
  /** Asks one question after the other. */
  function ask(sql: string): Promise<pg.QueryResult> {
    const answer = last.then(() => admin.query(sql))
    last = answer
    return answer
  }
  // Longer than the deadlock timeout: of several waiting transactions, the last one finds the deadlock and fails.
  const pause = () => ask('SELECT pg_sleep(0.012)')
  const waiting = async () => {
    const { rows } = await ask(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    )
    return rows[0].waiting
  }
  const opened = laboratory(source, pause, waiting)
  t.after(async () => {
    opened.disconnect()
    await source.close()
    await last
    await admin.end()
  })
  return opened
}

/** @param waiting the number of statements that wait for a lock */
function laboratory(source: PgSource, pause: () => Promise<unknown>, waiting?: () => Promise<number>): Laboratory {
  async function settled<T>(queries: readonly Promise<T>[]): Promise<Promise<T>[]> {
    const ended = new Set<Promise<T>>()
    for (const query of queries) {
      const end = () => void ended.add(query)
      query.then(end, end)
    }
    for (let quiet = 0; quiet < 2; ) {
      await Promise.race([Promise.allSettled(queries), pause()])
      const before = ended.size
      if (waiting === undefined || before === queries.length) break
      quiet = (await waiting()) === queries.length - before && ended.size === before ? quiet + 1 : 0
    }
    return [...ended]
  }
  const clients: PgClient[] = []
  return {
    async connect() {
      const client = await source.connect()
      clients.push(client)
      return client
    },
    disconnect() {
      for (const client of clients.splice(0)) client.release(true)
    },
    settled,
    async waits(query) {
      const ended = await settled([query])
      if (ended.length > 0) throw new Error('the statement did not wait')
    },
  }
}
