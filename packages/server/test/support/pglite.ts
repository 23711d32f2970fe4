import { PGlite } from '@electric-sql/pglite'
import type { PgClient, PgSource } from '../../src/store/drivers/postgres.ts'
import { Pool } from '../../src/store/pool.ts'

const INT8 = 20

export interface TestPglite {
  /** Empties the database. */
  reset(): Promise<void>
  /** Its one connection; open one source at a time. */
  source(): PgSource
  stop(): Promise<void>
}

/** PostgreSQL inside this process: one connection, nothing on a disk. It takes seconds to start. */
export async function startPglite(): Promise<TestPglite> {
  const pglite = await PGlite.create({ parsers: { [INT8]: BigInt } })
  return {
    async reset() {
      await pglite.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
    },
    source: () => oneConnection(pglite),
    stop: () => pglite.close(),
  }
}

function oneConnection(pglite: PGlite): PgSource {
  const client: PgClient = {
    async query(sql, values) {
      if (values === undefined) {
        await pglite.exec(sql)
        return { rows: [], affected: 0 }
      }
      const { rows, affectedRows } = await pglite.query(sql, [...values])
      return { rows, affected: affectedRows ?? 0 }
    },
    release: () => pool.release(client),
  }
  const pool = new Pool(() => client, { size: 1, maxWaiting: 10_000 })
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
