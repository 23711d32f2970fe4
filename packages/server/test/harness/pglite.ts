import { PGlite } from '@electric-sql/pglite'
import type { PgClient, PgSource } from '../../src/store/postgres/driver.ts'
import { ConnectionPool } from '../../src/store/sqlite/connection-pool.ts'

const INT8 = 20

export interface TestPglite {
  /** Empties the database. */
  reset(): Promise<void>
  /** The only connection. Open one source at a time. */
  source(): PgSource
  stop(): Promise<void>
}

/** PostgreSQL in this process: one connection, in memory. Starting it takes seconds. */
export async function startPglite(): Promise<TestPglite> {
  const pglite = await PGlite.create({ parsers: { [INT8]: BigInt } })
  return {
    async reset() {
      await pglite.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    },
    source: () => singleConnection(pglite),
    stop: () => pglite.close(),
  }
}

function singleConnection(pglite: PGlite): PgSource {
  const client: PgClient = {
    async query(sql, values) {
      if (values === undefined) {
        await pglite.exec(sql)
        return { rows: [], affected: 0 }
      }
      const { rows, affectedRows } = await pglite.query(sql, [...values])
      return { rows, affected: affectedRows ?? 0 }
    },
    release(broken) {
      // The end of a real connection rolls its transaction back.
      const ended = broken ? pglite.exec('ROLLBACK').then(() => {}) : Promise.resolve()
      ended.then(() => pool.release(client))
    },
  }
  const pool = new ConnectionPool(() => client, { size: 1, maxWaiting: 10_000 })
  return {
    connect: () => pool.acquire(),
    async listen(channel, onPayload) {
      const unlisten = await pglite.listen(channel, onPayload)
      return () => unlisten()
    },
    async close() {
      await pool.close()
    },
  }
}
