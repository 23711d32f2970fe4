import pg from 'pg'
import { connectionOptions } from './session.ts'

const TIMEOUT_MS = 10_000

/** Runs `work` on one separate connection, for reads outside of a store. */
export async function withPgClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...connectionOptions(url),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  await client.connect()
  try {
    // Not as a parameter of the start, which PgBouncer refuses.
    await client.query(`SET statement_timeout = ${TIMEOUT_MS}`)
    return await work(client)
  } finally {
    await client.end()
  }
}
