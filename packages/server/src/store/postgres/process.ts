import { PROCESS_PREFIX, parseProcess, type ServiceProcess } from '../process.ts'
import { withPgClient } from './client.ts'

/**
 * The processes that hold a notification connection to this database, by the name of that connection. They need no
 * table and no heartbeat: the server ends a connection with its process.
 */
export function connectedProcesses(url: string): Promise<readonly ServiceProcess[]> {
  return withPgClient(url, async client => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT application_name AS name FROM pg_stat_activity
       WHERE datname = current_database() AND starts_with(application_name, $1)`,
      [PROCESS_PREFIX],
    )
    return rows.map(({ name }) => parseProcess(name))
  })
}
