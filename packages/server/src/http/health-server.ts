import type { AddressInfo } from 'node:net'
import type { Readiness } from '../services/readiness.ts'
import { createApp } from './create-app.ts'
import { listenError } from './listen-error.ts'
import { healthRoutes } from './routes/health.ts'

/** Serves only `/healthz` and `/readyz`, also in processes without the role `api`. */
export async function startHealthServer(
  { host, port }: { readonly host: string; readonly port: number },
  readiness: Readiness,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const app = createApp(false)
  healthRoutes(app, { readiness })
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw listenError(error, { name: 'HEALTH_PORT', port, host })
  }
  return {
    port: (app.server.address() as AddressInfo).port,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}
