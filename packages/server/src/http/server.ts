import { METHODS } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyReply } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import { AppError, errorCodeOf } from '../domain/error.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { Accounts } from '../services/account.ts'
import type { ApiKeys } from '../services/api-key.ts'
import type { Billing } from '../services/billing.ts'
import type { InvoiceExports } from '../services/export.ts'
import type { Invoices } from '../services/invoice.ts'
import type { InvoiceFeed } from '../services/invoice-feed.ts'
import type { Sessions } from '../services/session.ts'
import type { Swaps } from '../services/swap.ts'
import type { ViewingKeys } from '../services/viewing-key.ts'
import type { Webhooks } from '../services/webhook.ts'
import type { Withdrawals } from '../services/withdrawal.ts'
import type { AnyRequest, App } from './app.ts'
import { createAuth } from './auth.ts'
import { addCors } from './cors.ts'
import { invalidJson, sendError, toAppError } from './errors.ts'
import { addMetricsRoute, addRequestMetrics } from './metrics.ts'
import { addUnknownRouteHandler } from './not-found.ts'
import { addOpenApi } from './openapi.ts'
import { accountRoutes } from './routes/account.ts'
import { apiKeyRoutes } from './routes/api-key.ts'
import { billingRoutes } from './routes/billing.ts'
import { exportRoutes } from './routes/export.ts'
import { healthRoutes } from './routes/health.ts'
import { invoiceRoutes } from './routes/invoice.ts'
import { planRoutes } from './routes/plan.ts'
import { sessionRoutes } from './routes/session.ts'
import { streamRoutes } from './routes/stream.ts'
import { addSwapMetrics, swapRoutes } from './routes/swap.ts'
import { webhookRoutes } from './routes/webhook.ts'
import { withdrawalRoutes } from './routes/withdrawal.ts'
import { compileValidator } from './validation.ts'
import { createInvoiceStream } from './websocket/stream.ts'
import { addUpgrades, isWebSocketUpgrade } from './websocket/upgrade.ts'

export interface HttpServer {
  /** Starts listening. @returns the base URL of the server */
  listen(): Promise<string>
  /** Finishes requests in progress and closes WebSockets with code 1001. Takes at most ten seconds. */
  close(): Promise<void>
}

export interface HttpSettings {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Null: the address the server listens on. */
  readonly publicUrl: string | null
  /** Trusted proxies, whose `X-Forwarded-For` is used: their number or their addresses. */
  readonly trustProxy: number | readonly string[] | false
  /** Requests per minute and client address; 0: no limit. */
  readonly rateLimit: number
  readonly maxWebSockets: number
  /** Null: GET /metrics is disabled. */
  readonly metricsToken: string | null
}

export type NotFoundPage = (error: AppError, request: AnyRequest, reply: FastifyReply) => boolean

export interface HttpOptions {
  readonly settings: HttpSettings
  readonly store: Store
  readonly accounts: Accounts
  readonly apiKeys: ApiKeys
  readonly viewingKeys: ViewingKeys
  readonly sessions: Sessions
  readonly exports: InvoiceExports
  readonly invoices: Invoices
  readonly invoiceFeed: InvoiceFeed
  readonly swaps: Swaps
  readonly webhooks: Webhooks
  readonly billing: Billing
  readonly withdrawals: Withdrawals
  readonly log: Log
  readonly registry: Registry
  /** Adds the web pages, after the API routes. */
  readonly site?: (app: App, publicUrl: () => string) => void
  /** Sends a page to a browser that requests an unknown path. Returns false if it sent nothing. */
  readonly notFoundPage?: NotFoundPage
}

export const MAX_BODY_BYTES = 64 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
/** Longer than the idle timeout of common proxies, so the server never closes a connection that a proxy reuses. */
const KEEP_ALIVE_MS = 75_000
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
    invoices,
    invoiceFeed,
    swaps,
    webhooks,
    billing,
    withdrawals,
    log,
    registry,
  } = options
  let listeningAt = settings.publicUrl ?? ''
  const publicUrl = () => settings.publicUrl ?? listeningAt

  const app = createApp(settings)
  const stream = createInvoiceStream({
    store,
    invoices,
    invoiceFeed,
    swaps,
    log,
    maxWebSockets: settings.maxWebSockets,
  })
  const upgrades = addUpgrades(app)
  const auth = createAuth({ apiKeys, sessions })

  addErrorHandler(app, log, options.notFoundPage)
  addRequestMetrics(app, log, registry)
  addWebSocketMetrics(registry, () => stream.size)
  addSwapMetrics(registry, swaps)
  addCors(app)
  addSecurityHeaders(app, settings.publicUrl)
  await addRateLimit(app, settings.rateLimit)
  addUnknownRouteHandler(app)
  await addOpenApi(app, publicUrl)

  healthRoutes(app)
  addMetricsRoute(app, registry, settings.metricsToken)
  invoiceRoutes(app, { invoices, swaps, auth })
  swapRoutes(app, { swaps, invoices })
  streamRoutes(app, { stream, upgrades })
  accountRoutes(app, { accounts, viewingKeys, auth })
  apiKeyRoutes(app, { apiKeys, auth })
  sessionRoutes(app, { sessions, auth })
  webhookRoutes(app, { webhooks, auth })
  planRoutes(app, { billing })
  billingRoutes(app, { billing, accounts, auth })
  withdrawalRoutes(app, { withdrawals, auth })
  exportRoutes(app, { exports: options.exports, auth })
  options.site?.(app, publicUrl)

  return {
    async listen() {
      await app.listen({ host: settings.host, port: settings.port })
      listeningAt = urlOf(app.server.address() as AddressInfo)
      return listeningAt
    },

    async close() {
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

function createApp({ trustProxy }: HttpSettings): App {
  const app: App = fastify({
    logger: false,
    trustProxy: proxyTrust(trustProxy),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Requests during shutdown are still served: Fastify's own 503 would not have the error format of this API.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // A parameter of any length reaches the route, so that an overlong id gets the 404 of an unknown one.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    clientErrorHandler: rejectMalformedRequest,
    // Hooks do not run for these errors, because the path could not be parsed.
    frameworkErrors: (error, _request, reply) => sendError(reply.headers(SECURITY_HEADERS), toAppError(error)),
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: 5_000,
      shouldUpgradeCallback: isWebSocketUpgrade,
    },
  })
  // Makes `app.all` cover the methods that Fastify does not know by default.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.setValidatorCompiler(compileValidator)
  acceptJsonOnly(app)
  return app
}

const PARSER_ERRORS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
}

/** Handles malformed HTTP and request timeouts. No request exists yet, so the response goes to the socket. */
function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = PARSER_ERRORS[error.code ?? ''] ?? '400 Bad Request'
  const message = status.slice(4).toLowerCase()
  const body = JSON.stringify({ code: errorCodeOf(message), message })
  const head = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`, 'Connection: close']
  socket.write(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

/** Fastify ignores forwarded headers for a plain number of proxies. Here the operator ensures that only proxies connect. */
function proxyTrust(trust: HttpSettings['trustProxy']) {
  if (typeof trust === 'number') return (_address: string, hop: number) => hop < trust
  return trust === false ? false : [...trust]
}

/** Accepts only JSON bodies. An empty body is allowed if the route has no body schema. */
function acceptJsonOnly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(request.routeOptions.schema?.body ? invalidJson('the body is empty') : null, undefined)
    try {
      done(null, JSON.parse(body as string))
    } catch {
      done(invalidJson(), undefined)
    }
  })
}

function addErrorHandler(app: App, log: Log, strayPage: NotFoundPage = () => false): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown)
    if (error.kind === 'internal')
      log.error(
        { method: request.method, route: request.routeOptions.url, err: error.cause ?? error },
        'internal error',
      )
    if (!strayPage(error, request, reply)) sendError(reply, error)
  })
}

/** Headers of API responses. The web pages override some of them. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
}

function addSecurityHeaders(app: App, publicUrl: string | null): void {
  const hsts = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
  const headers = publicUrl?.startsWith('https:') ? { ...SECURITY_HEADERS, ...hsts } : SECURITY_HEADERS
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}

/**
 * Limits requests per client address, before any other work. Rejected requests and unknown paths count too. Routes opt
 * out with `config: { rateLimit: false }`.
 */
async function addRateLimit(app: App, perMinute: number): Promise<void> {
  if (perMinute === 0) return
  const noHeaders = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
  await app.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: 60_000,
    cache: 20_000,
    ipv6Subnet: 64,
    addHeaders: noHeaders,
    addHeadersOnExceeding: noHeaders,
    errorResponseBuilder: (_request, { ttl }) =>
      new AppError('too_many', 'too_many_requests', 'too many requests', { retryAfterSecs: Math.ceil(ttl / 1000) }),
  })
  const limit = app.rateLimit()
  app.addHook('onRequest', async function (request, reply) {
    if (request.routeOptions.config?.rateLimit !== false) await limit.call(this, request, reply)
  })
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

function urlOf({ address, family, port }: AddressInfo): string {
  const host = family === 'IPv6' ? `[${address}]` : address
  return `http://${host}:${port}`
}
