import type { Log } from '../../ports/log.ts'
import type { App } from '../app.ts'
import { apiKeyRoutes } from './api-key.ts'
import { addGreenfield } from './dialect.ts'
import { invoiceRoutes } from './invoice.ts'
import { pullPaymentRoutes } from './pull-payment.ts'
import { serverRoutes } from './server.ts'
import { storeRoutes } from './store.ts'
import { webhookRoutes } from './webhook.ts'

type RouteDeps<Add extends (scope: App, deps: never) => void> = Parameters<Add>[1]

type Deps = RouteDeps<typeof apiKeyRoutes> &
  RouteDeps<typeof invoiceRoutes> &
  RouteDeps<typeof pullPaymentRoutes> &
  RouteDeps<typeof serverRoutes> &
  RouteDeps<typeof storeRoutes> &
  RouteDeps<typeof webhookRoutes> & { readonly log: Log }

/** BTCPay's Greenfield API, as far as shop plugins use it. */
export function greenfieldRoutes(app: App, deps: Deps): void {
  addGreenfield(app, deps.log, scope => {
    apiKeyRoutes(scope, deps)
    serverRoutes(scope, deps)
    storeRoutes(scope, deps)
    invoiceRoutes(scope, deps)
    pullPaymentRoutes(scope, deps)
    webhookRoutes(scope, deps)
  })
}
