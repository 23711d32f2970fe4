import { join } from 'node:path'
import type { SimulatedDatabase } from '../sqlite.ts'
import { type ContentCopy, openPostgresServer, openStoreOn } from './server.ts'

/** Opens the simulated PostgreSQL, whose processes write at the same time. */
export async function openSimulatedPostgres(folder: string): Promise<SimulatedDatabase> {
  const server = await openPostgresServer(join(folder, 'postgres.db'))
  return {
    begin(hooks) {
      server.hooks = hooks
      server.reset()
    },
    async openStore(process, identity) {
      server.identity = identity
      // The errors that reach no caller are those of connections that the hooks have ended.
      return openStoreOn(server, process, () => {})
    },
    crash: server.crash,
    committed: server.committed,
    copyContent: server.copyContent,
    restoreContent: (copy, idsAhead) => server.restoreContent(copy as ContentCopy, idsAhead),
    failOver(processes, copy, identity, idsAhead) {
      for (const process of processes) server.disconnect(process)
      server.restoreContent(copy as ContentCopy, idsAhead)
      server.identity = identity
    },
    close: server.close,
  }
}
