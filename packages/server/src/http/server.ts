import { METHODS } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import fastify, { type FastifyReply } from 'fastify'
import { Gauge, type Registry } from 'prom-client'
import { codeOf, Fault } from '../domain/error.ts'
import type { Log, Store } from '../ports.ts'
import type { Accounts } from '../services/account.ts'
import type { Billing } from '../services/billing.ts'
import type { Credentials } from '../services/credentials.ts'
import type { Exports } from '../services/export.ts'
import type { Invoices } from '../services/invoice.ts'
import type { Swaps } from '../services/swap.ts'
import type { ViewingKeys } from '../services/viewing-key.ts'
import type { Webhooks } from '../services/webhook.ts'
import type { Withdrawals } from '../services/withdrawal.ts'
import type { AnyRequest, App } from './app.ts'
import { createAuth } from './auth.ts'
import { addCors } from './cors.ts'
import { invalidJson, sendFault, toFault } from './errors.ts'
import { addMetrics, addObservation } from './metrics.ts'
import { addNotFound } from './not-found.ts'
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
import { measureSwaps, swapRoutes } from './routes/swap.ts'
import { webhookRoutes } from './routes/webhook.ts'
import { withdrawalRoutes } from './routes/withdrawal.ts'
import { compileValidator } from './validation.ts'
import { createInvoiceStream } from './websocket/stream.ts'
import { addUpgrades, asksForWebSocket } from './websocket/upgrade.ts'

export interface HttpServer {
  /** Starts to listen; the address it answers at. */
  listen(): Promise<string>
  /** Answers what it has begun, closes WebSockets with 1001; in ten seconds at most. */
  close(): Promise<void>
}

export interface HttpSettings {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Null: where it listens. */
  readonly publicUrl: string | null
  /** Who may say where a request comes from: a number of proxies, or their addresses. */
  readonly trustProxy: number | readonly string[] | false
  /** Requests that one client address may make in a minute; 0: no limit. */
  readonly rateLimit: number
  readonly maxWebSockets: number
  /** Null: no GET /metrics. */
  readonly metricsToken: string | null
}

export type StrayPage = (fault: Fault, request: AnyRequest, reply: FastifyReply) => boolean

export interface HttpOptions {
  readonly settings: HttpSettings
  readonly store: Store
  readonly accounts: Accounts
  readonly viewingKeys: ViewingKeys
  readonly credentials: Credentials
  readonly exports: Exports
  readonly invoices: Invoices
  readonly swaps: Swaps
  readonly webhooks: Webhooks
  readonly billing: Billing
  readonly withdrawals: Withdrawals
  readonly log: Log
  readonly registry: Registry
  /** Adds the pages, after the routes of the API. */
  readonly site?: (app: App, publicUrl: () => string) => void
  /** Answers a browser that has lost its way with a page; false for what is no such thing. */
  readonly strayPage?: StrayPage
}

export const MAX_BODY_BYTES = 64 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
/** Longer than the idle time of common proxies, so that it is never we who close first under their request. */
const KEEP_ALIVE_MS = 75_000
const CLOSE_MS = 10_000
const SWEEP_MS = 50

export async function createHttpServer(options: HttpOptions): Promise<HttpServer> {
  const {
    settings,
    store,
    accounts,
    viewingKeys,
    credentials,
    invoices,
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
  const stream = createInvoiceStream({ store, invoices, swaps, log, most: settings.maxWebSockets })
  const upgrades = addUpgrades(app)
  const auth = createAuth(credentials)

  answerFaults(app, log, options.strayPage)
  addObservation(app, log, registry)
  countWebSockets(registry, () => stream.size)
  measureSwaps(registry, swaps)
  addCors(app)
  addSecurityHeaders(app, settings.publicUrl)
  await limitRates(app, settings.rateLimit)
  addNotFound(app)
  await addOpenApi(app, publicUrl)

  healthRoutes(app)
  addMetrics(app, registry, settings.metricsToken)
  invoiceRoutes(app, { invoices, swaps, auth })
  swapRoutes(app, { swaps, invoices })
  streamRoutes(app, { stream, upgrades })
  accountRoutes(app, { accounts, viewingKeys, auth })
  apiKeyRoutes(app, { credentials, auth })
  sessionRoutes(app, { credentials, auth })
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
      // Who is being answered keeps his connection until then, and not for a next request.
      const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
      const late = setTimeout(() => app.server.closeAllConnections(), CLOSE_MS)
      await app.close()
      clearInterval(sweep)
      clearTimeout(late)
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
    // What is begun while closing is still answered: a refusal of Fastify's own would not have the shape of our errors.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // An id of any length is an unknown id.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    clientErrorHandler: refuseBytes,
    // No hook runs for these: the path itself could not be read.
    frameworkErrors: (error, _request, reply) => sendFault(reply.headers(SECURITY_HEADERS), toFault(error)),
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: 5_000,
      shouldUpgradeCallback: asksForWebSocket,
    },
  })
  // What answers any method answers those too that Fastify does not know by itself.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.setValidatorCompiler(compileValidator)
  acceptJsonOnly(app)
  return app
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
}

/** For what is no HTTP, or too slow to become a request: there is nothing yet to answer but the socket. */
function refuseBytes(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = UNREADABLE[error.code ?? ''] ?? '400 Bad Request'
  const message = status.slice(4).toLowerCase()
  const body = JSON.stringify({ code: codeOf(message), message })
  const head = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`, 'Connection: close']
  socket.write(`HTTP/1.1 ${status}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

/** Fastify takes a mere number for a mistake; here it is the operator's word that only proxies can reach us. */
function proxyTrust(trust: HttpSettings['trustProxy']) {
  if (typeof trust === 'number') return (_address: string, hop: number) => hop < trust
  return trust === false ? false : [...trust]
}

/** JSON and nothing else; an empty body is one only where the route asks for none. */
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

function answerFaults(app: App, log: Log, strayPage: StrayPage = () => false): void {
  app.setErrorHandler((error, request, reply) => {
    const fault = toFault(error)
    if (fault.kind === 'internal')
      log.error(
        { method: request.method, route: request.routeOptions.url, err: fault.cause ?? fault },
        'internal error',
      )
    if (!strayPage(fault, request, reply)) sendFault(reply, fault)
  })
}

/** For answers that are data and never a page; the pages set stricter and looser ones of their own. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
}

function addSecurityHeaders(app: App, publicUrl: string | null): void {
  const insist = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
  const headers = publicUrl?.startsWith('https:') ? { ...SECURITY_HEADERS, ...insist } : SECURITY_HEADERS
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}

/**
 * Counts every request by its client's address, before anything else is done for it: refused ones and unknown paths
 * too. A route says `config: { rateLimit: false }` to be left out.
 */
async function limitRates(app: App, perMinute: number): Promise<void> {
  if (perMinute === 0) return
  const silent = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
  await app.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: 60_000,
    cache: 20_000,
    ipv6Subnet: 64,
    addHeaders: silent,
    addHeadersOnExceeding: silent,
    errorResponseBuilder: (_request, { ttl }) =>
      new Fault('too_many', 'too_many_requests', 'too many requests', { retryAfterSecs: Math.ceil(ttl / 1000) }),
  })
  const count = app.rateLimit()
  app.addHook('onRequest', async function (request, reply) {
    if (request.routeOptions.config?.rateLimit !== false) await count.call(this, request, reply)
  })
}

function countWebSockets(registry: Registry, size: () => number): void {
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
