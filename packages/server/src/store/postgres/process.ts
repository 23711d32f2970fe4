import pg from 'pg'
import { PROCESS_PREFIX, parseProcess, type ServiceProcess } from '../process.ts'

const TIMEOUT_MS = 10_000

/**
 * The processes that hold a notification connection to this database, by the name of that connection. They need no
 * table and no heartbeat: the server ends a connection with its process.
 */
export async function connectedProcesses(url: string): Promise<readonly ServiceProcess[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
  })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND starts_with(application_name, $1)`,
      [PROCESS_PREFIX],
    )
    return rows.map(({ name }) => parseProcess(name))
  } finally {
    await client.end()
  }
}
