import type { AddressInfo } from 'node:net'
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../ports/clock.ts'
import type { Log, RequestScope } from '../ports/log.ts'
import type { Random } from '../ports/random.ts'
import type { Rates } from '../ports/rate.ts'
import type { Store } from '../ports/store.ts'
import type { Tracer } from '../ports/tracer.ts'
import type { Accounts } from '../services/account/account.ts'
import type { ApiKeys } from '../services/account/api-key.ts'
import type { Billing } from '../services/account/billing.ts'
import type { Sessions } from '../services/account/session.ts'
import type { SignIn } from '../services/account/sign-in.ts'
import type { StoreProfiles } from '../services/account/store-profile.ts'
import type { ViewingKeys } from '../services/account/viewing-key.ts'
import type { SyncStatus } from '../services/chain/sync-status.ts'
import type { Endpoints } from '../services/notify/endpoint.ts'
import type { EventFeed } from '../services/notify/event-feed.ts'
import type { InvoiceFeed } from '../services/notify/invoice-feed.ts'
import type { Webhooks } from '../services/notify/webhook.ts'
import type { Withdrawals } from '../services/payout/withdrawal.ts'
import type { Readiness } from '../services/readiness.ts'
import type { Exports } from '../services/sale/export.ts'
import type { GreenfieldInvoices } from '../services/sale/greenfield-invoice.ts'
import type { Invoices } from '../services/sale/invoice.ts'
import type { InvoiceCancellations } from '../services/sale/invoice-cancellation.ts'
import type { InvoiceMarks } from '../services/sale/invoice-mark.ts'
import type { PaymentLinks } from '../services/sale/payment-link.ts'
import type { PublicInvoices } from '../services/sale/public-invoice.ts'
import type { Refunds } from '../services/sale/refund.ts'
import type { RefundLinks } from '../services/sale/refund-link.ts'
import type { Swaps } from '../services/sale/swap.ts'
import { type Access, requireAccess } from './access.ts'
import type { App } from './app.ts'
import { addAuth } from './auth.ts'
import { connectionLimits } from './connection-limits.ts'
import { addCors } from './cors.ts'
import { createApp, proxyTrust, type TrustedProxies } from './create-app.ts'
import { addErrorHandler, type NotFoundPage } from './error-handler.ts'
import { greenfieldRoutes } from './greenfield/routes.ts'
import { listenError } from './listen-error.ts'
import { addMetricsRoute, addRequestMetrics } from './metrics.ts'
import { addUnknownRouteHandler } from './not-found.ts'
import { addOpenApi } from './openapi/route.ts'
import type { JsonObject } from './openapi/shared-schemas.ts'
import { limitPipelining } from './pipelining.ts'
import { refuseUnknownParameters } from './query.ts'
import { addRateLimits, type RateLimits } from './rate-limit.ts'
import { addRequestIds } from './request-id.ts'
import { accountRoutes } from './routes/account/account.ts'
import { apiKeyRoutes } from './routes/account/api-key.ts'
import { billingRoutes } from './routes/account/billing.ts'
import { sessionRoutes } from './routes/account/session.ts'
import { storeProfileRoutes } from './routes/account/store-profile.ts'
import { healthRoutes } from './routes/health.ts'
import { endpointRoutes } from './routes/notify/endpoint.ts'
import { eventRoutes } from './routes/notify/event.ts'
import { webhookRoutes } from './routes/notify/webhook.ts'
import { withdrawalRoutes } from './routes/payout/withdrawal.ts'
import { exportRoutes } from './routes/sale/export.ts'
import { invoiceRoutes } from './routes/sale/invoice.ts'
import { invoiceListRoutes } from './routes/sale/invoice-list.ts'
import { invoiceMarkRoutes } from './routes/sale/invoice-mark.ts'
import { paymentLinkRoutes } from './routes/sale/payment-link.ts'
import { rateRoutes } from './routes/sale/rate.ts'
import { refundRoutes } from './routes/sale/refund.ts'
import { refundLinkRoutes } from './routes/sale/refund-link.ts'
import { addSwapMetrics, swapRoutes } from './routes/sale/swap.ts'
import { streamRoutes } from './routes/stream.ts'
import { addSecurityHeaders } from './security-headers.ts'
import { addRequestTraces } from './traces.ts'
import { createInvoiceStream } from './websocket/stream.ts'
import { addUpgrades } from './websocket/upgrade.ts'

interface HttpServer {
  /** Who may use each route. */
  readonly routes: ReadonlyMap<string, Access>
  /** Starts listening. @returns the base URL of the server */
  listen(): Promise<string>
  /** Finishes requests in progress and closes WebSockets with code 1001. Takes at most ten seconds. */
  close(): Promise<void>
}

/** The parts of the server that the web pages use. */
interface ServerParts {
  readonly publicUrl: () => string
  readonly rateLimits: RateLimits
  /** The OpenAPI document, once the server listens. */
  readonly apiDocument: () => JsonObject
}

export interface HttpSettings {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Null: the address the server listens on. */
  readonly publicUrl: string | null
  /** Whether HSTS includes the subdomains of its host. */
  readonly hstsSubdomains: boolean
  readonly trustProxy: TrustedProxies
  /** Days after the expiry of an invoice in which payments still count. */
  readonly lateWatchDays: number
  /** Requests per minute and client address; 0: no limits of requests, also none by account. */
  readonly rateLimit: number
  readonly maxWebSockets: number
  /** Open WebSockets of one client address. */
  readonly maxWebSocketsPerClient: number
  /** Null: GET /metrics is disabled. */
  readonly metricsToken: string | null
  /** The port of the health checks, which then has the metrics too. Null: there is no such port. */
  readonly healthPort: number | null
}

export interface HttpOptions {
  readonly settings: HttpSettings
  readonly store: Store
  readonly accounts: Accounts
  readonly apiKeys: ApiKeys
  readonly viewingKeys: ViewingKeys
  readonly sessions: Sessions
  readonly storeProfiles: StoreProfiles
  readonly signIn: SignIn
  readonly exports: Exports
  readonly invoices: Invoices
  readonly publicInvoices: PublicInvoices
  readonly cancellations: InvoiceCancellations
  readonly marks: InvoiceMarks
  readonly greenfieldInvoices: GreenfieldInvoices
  readonly refunds: Refunds
  readonly refundLinks: RefundLinks
  readonly paymentLinks: PaymentLinks
  readonly invoiceFeed: InvoiceFeed
  readonly eventFeed: EventFeed
  readonly endpoints: Endpoints
  readonly swaps: Swaps
  readonly syncStatus: () => Promise<SyncStatus>
  readonly webhooks: Webhooks
  readonly billing: Billing
  readonly withdrawals: Withdrawals
  readonly rates: Rates
  readonly readiness: Readiness
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Default: log lines have no request id. */
  readonly requestScope?: RequestScope
  /** Default: no traces. */
  readonly tracer?: Tracer | null
  readonly registry: Registry
  /** How many files and sockets this process may have open. Default: unknown, connections have no limit. */
  readonly maxOpenFiles?: number | null
  /** Adds the web pages, after the API routes. */
  readonly site?: (app: App, server: ServerParts) => void
  readonly notFoundPage?: NotFoundPage
}

const CLOSE_MS = 10_000
const CLOSE_IDLE_MS = 50

export async function createHttpServer(options: HttpOptions): Promise<HttpServer> {
  const {
    settings,
    store,
    accounts,
    apiKeys,
    viewingKeys,
    sessions,
    signIn,
    invoices,
    publicInvoices,
    invoiceFeed,
    swaps,
    webhooks,
    billing,
    withdrawals,
    clock,
    log,
    registry,
  } = options
  let listeningAt = settings.publicUrl ?? ''
  const publicUrl = () => settings.publicUrl ?? listeningAt

  const app = createApp(settings.trustProxy, { publicUrl, random: options.random })
  const limits = connectionLimits(options.maxOpenFiles ?? null, settings.maxWebSockets)
  app.server.maxConnections = limits.connections
  if (limits.webSockets < settings.maxWebSockets)
    log.debug(
      { ...limits, maxOpenFiles: options.maxOpenFiles },
      'the limit of open files allows fewer WebSockets than MAX_WEBSOCKETS',
    )
  const stream = createInvoiceStream({
    store,
    invoiceFeed,
    readiness: options.readiness,
    clock,
    log,
    maxWebSockets: limits.webSockets,
    maxWebSocketsPerClient: settings.maxWebSocketsPerClient,
  })
  const upgrades = addUpgrades(app)

  limitPipelining(app)
  addRequestIds(app, options.requestScope ?? { run: (_requestId, work) => work() })
  addErrorHandler(app, log, options.notFoundPage)
  addRequestMetrics(app, log, registry)
  addWebSocketMetrics(registry, () => stream.size)
  addSwapMetrics(registry, swaps)
  if (options.tracer) addRequestTraces(app, options.tracer, proxyTrust(settings.trustProxy))
  addCors(app)
  addSecurityHeaders(app, settings.publicUrl, settings.hstsSubdomains)
  const rateLimits = addRateLimits(app, settings.rateLimit, clock)
  refuseUnknownParameters(app)
  addUnknownRouteHandler(app)
  const routes = requireAccess(app)
  const auth = addAuth(app, { apiKeys, sessions, signIn, rateLimits })
  const apiDocument = addOpenApi(app, publicUrl)

  healthRoutes(app, { readiness: options.readiness })
  // With a port for health checks, the public one has no metrics, whatever the proxy lets through.
  if (settings.healthPort === null) addMetricsRoute(app, registry, settings.metricsToken)
  const { cancellations, marks } = options
  invoiceRoutes(app, { auth, invoices, publicInvoices, cancellations, swaps, webhooks, clock, publicUrl })
  invoiceMarkRoutes(app, { marks, swaps })
  invoiceListRoutes(app, { invoices })
  swapRoutes(app, { swaps, invoices })
  refundRoutes(app, { refunds: options.refunds, publicUrl })
  refundLinkRoutes(app, options.refundLinks)
  paymentLinkRoutes(app, { paymentLinks: options.paymentLinks, publicUrl })
  rateRoutes(app, { rates: options.rates, currencies: withdrawals.currencies })
  streamRoutes(app, { publicInvoices, stream, upgrades })
  accountRoutes(app, { accounts, viewingKeys, auth })
  storeProfileRoutes(app, { storeProfiles: options.storeProfiles, publicUrl })
  apiKeyRoutes(app, { apiKeys })
  sessionRoutes(app, { sessions })
  webhookRoutes(app, { webhooks })
  endpointRoutes(app, { endpoints: options.endpoints })
  eventRoutes(app, { eventFeed: options.eventFeed })
  billingRoutes(app, { billing, accounts })
  withdrawalRoutes(app, { withdrawals })
  exportRoutes(app, { exports: options.exports })
  greenfieldRoutes(app, { ...options, publicUrl, lateWatchDays: settings.lateWatchDays })
  options.site?.(app, { publicUrl, rateLimits, apiDocument })

  return {
    routes,

    async listen() {
      const { host, port } = settings
      try {
        await app.listen({ host, port })
      } catch (error) {
        throw listenError(error, { name: 'PORT', port, host })
      }
      listeningAt = urlOf(app.server.address() as AddressInfo)
      return listeningAt
    },

    async close() {
      options.eventFeed.close()
      await stream.close()
      // A connection stays open until its response is sent, but takes no further request.
      const closeIdle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS)
      const timeout = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS)
      await app.close()
      clearInterval(closeIdle)
      clearTimeout(timeout)
    },
  }
}

function addWebSocketMetrics(registry: Registry, size: () => number): void {
  new Gauge({
    name: 'zatgate_websockets',
    help: 'Open WebSockets.',
    registers: [registry],
    collect() {
      this.set(size())
    },
  })
}

/** The address of the server. When it listens at all addresses, that of this machine. */
function urlOf({ address, family, port }: AddressInfo): string {
  const own = { '::': '::1', '0.0.0.0': '127.0.0.1' }[address] ?? address
  const host = family === 'IPv6' ? `[${own}]` : own
  return `http://${host}:${port}`
}
