import { METHODS, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import fastify, { type FastifyRequest } from 'fastify'
import { AppError } from '../domain/error.ts'
import type { Random } from '../ports/random.ts'
import type { App } from './app.ts'
import { errorBody, httpStatusOf, invalidJson, sendError, toAppError } from './error.ts'
import { removeForwardedPorts } from './forwarded-port.ts'
import { requestIdFrom, type TrustsPeer } from './request-id.ts'
import { SECURITY_HEADERS } from './security-headers.ts'
import { compileValidator } from './validation.ts'
import { isWebSocketUpgrade } from './websocket/upgrade.ts'

const MAX_BODY_BYTES = 64 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
/** Longer than the idle timeout of common proxies, so the server never closes a connection that a proxy reuses. */
const KEEP_ALIVE_MS = 75_000
/** A connection with a request in progress is closed when nothing is received or sent for this long. */
const STALLED_MS = 30_000

/** In place of Fastify's own, which take 2 MB. The presenters give what the schemas say. */
const COMPILERS = {
  buildValidator: () => () => {
    throw new Error('the app has its own validator')
  },
  buildSerializer: () => () => JSON.stringify,
} as const

/** Trusted proxies, whose `X-Forwarded-For` is used: their number or their addresses. False: none. */
export type TrustedProxies = number | readonly string[] | false

export interface AppOptions {
  readonly stalledMs?: number
  /** Default: the app does not serve the pages of documentation, and its errors have no link to them. */
  readonly publicUrl?: () => string
  /** Draws the prefix of the requests' ids. Default: Fastify's own ids, which count up. */
  readonly random?: Random
}

/** Creates the Fastify instance with its limits and parsers, without hooks and routes. */
export function createApp(
  trustProxy: TrustedProxies,
  { stalledMs = STALLED_MS, publicUrl, random }: AppOptions = {},
): App {
  const trusts = proxyTrust(trustProxy)
  const app: App = fastify({
    logger: false,
    // A function, even one that trusts no one, would make Fastify read the forwarded host and protocol.
    trustProxy: trustProxy === false ? false : trusts,
    ...(random && { genReqId: requestIdFrom(trusts, random) }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: stalledMs,
    // Requests during shutdown are still served: Fastify's own 503 would not have the error format of this API.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // A parameter of any length reaches the route, so that an overlong id gets the 404 of an unknown one.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
    clientErrorHandler(error, socket) {
      rejectMalformedRequest(error, socket, app.publicUrl)
    },
    // Hooks do not run for these errors, because the path could not be parsed.
    frameworkErrors: (error, _request, reply) => sendError(reply.headers(SECURITY_HEADERS), toAppError(error)),
    schemaController: { compilersFactory: COMPILERS },
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: 5_000,
      shouldUpgradeCallback: isWebSocketUpgrade,
    },
  })
  app.decorate('publicUrl', publicUrl ?? null)
  // Before Fastify reads the header for any hook or route, upgrades included.
  if (trustProxy !== false)
    for (const event of ['request', 'upgrade']) app.server.prependListener(event, removeForwardedPorts)
  // Makes `app.all` cover the methods that Fastify does not know by default.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  app.setValidatorCompiler(compileValidator)
  acceptJsonOnly(app)
  return app
}

const PARSER_ERRORS = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'request_header_fields_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
} as const

/** Handles malformed HTTP and request timeouts. No request exists yet, so the response goes to the socket. */
function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Socket, publicUrl: App['publicUrl']): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const rejection = new AppError(PARSER_ERRORS[error.code as keyof typeof PARSER_ERRORS] ?? 'bad_request')
  const status = httpStatusOf(rejection)
  const body = JSON.stringify(errorBody(rejection, publicUrl))
  const head = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}

/** Fastify ignores forwarded headers for a plain number of proxies. Here the operator ensures that only proxies connect. */
export function proxyTrust(trust: TrustedProxies): TrustsPeer {
  if (typeof trust === 'number') return (_address, hop) => hop < trust
  return trust === false ? () => false : proxyAddr.compile([...trust])
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads the text of its body too, see `bodyTextOf`. */
    keepsText?: boolean
  }
}

const textsOfBodies = new WeakMap<FastifyRequest, string>()

/** The body of a request as it was sent. Only for routes with `config: { keepsText: true }`. */
export function bodyTextOf(request: FastifyRequest): string {
  const text = textsOfBodies.get(request)
  if (text === undefined) throw new Error('the route does not keep the text of its body')
  return text
}

/** Accepts only JSON bodies. An empty body is allowed if the route has no body schema. */
function acceptJsonOnly(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const { 'content-encoding': encoding = 'identity' } = request.headers
    if (encoding.toLowerCase() !== 'identity')
      return done(
        new AppError('unsupported_media_type', { detail: 'send the body without Content-Encoding' }),
        undefined,
      )
    if (body === '') return done(request.routeOptions.schema?.body ? invalidJson('the body is empty') : null, undefined)
    try {
      const parsed = JSON.parse(body as string)
      if (request.routeOptions.config?.keepsText) textsOfBodies.set(request, body as string)
      done(null, parsed)
    } catch {
      done(invalidJson(encodingHint(body as string)), undefined)
    }
  })
}

/** Names a wrong encoding of the text. Undefined: it is not the cause. */
function encodingHint(body: string): string | undefined {
  if (body.startsWith('\uFEFF')) return 'the body begins with a byte order mark (BOM): send UTF-8 without one'
  return body.includes('\0') ? 'the body is not UTF-8: it may be UTF-16' : undefined
}
