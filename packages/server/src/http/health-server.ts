import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Log } from '../ports/log.ts'
import type { Readiness } from '../services/readiness.ts'
import { createApp } from './create-app.ts'
import { addErrorHandler } from './error-handler.ts'
import { listenError } from './listen-error.ts'
import { addMetricsRoute } from './metrics.ts'
import { healthRoutes } from './routes/health.ts'

/** Serves only `/healthz`, `/readyz` and, with a token, `/metrics`, also in processes without the role `api`. */
export async function startHealthServer(
  { host, port }: { readonly host: string; readonly port: number },
  readiness: Readiness,
  metrics: { readonly registry: Registry; readonly token: string | null },
  log: Log,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const app = createApp(false)
  addErrorHandler(app, log)
  healthRoutes(app, { readiness })
  if (metrics.token !== null) addMetricsRoute(app, metrics.registry, metrics.token)
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
