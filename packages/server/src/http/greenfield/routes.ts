import type { Log } from '../../ports/log.ts'
import type { App } from '../app.ts'
import { addGreenfield } from './dialect.ts'
import { invoiceRoutes } from './invoice.ts'

type Deps = Parameters<typeof invoiceRoutes>[1] & { readonly log: Log }

/** BTCPay's Greenfield API, as far as shop plugins use it. */
export function greenfieldRoutes(app: App, deps: Deps): void {
  addGreenfield(app, deps.log, scope => {
    invoiceRoutes(scope, deps)
  })
}
