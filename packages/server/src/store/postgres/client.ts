import pg from 'pg'

const TIMEOUT_MS = 10_000

/** Runs `work` on one connection of its own, for reads outside of a store. */
export async function withPgClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
