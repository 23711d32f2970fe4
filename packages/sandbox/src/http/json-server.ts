import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { closeServer, LOOPBACK, listen, requestUrl } from './listen.ts'
import { type Page, sendPage } from './page.ts'
import { readBytes } from './read-bytes.ts'
import { sendJson } from './response-body.ts'

export interface JsonRequest {
  readonly query: URLSearchParams
  /** the path parameters of the route */
  readonly params: Readonly<Record<string, string>>
  /** empty for GET requests */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Route {
  readonly method: 'GET' | 'POST'
  /** for example `/swaps/:deposit_address` */
  readonly path: string
  /** the effect of the call, in a sentence */
  readonly effect: string
  /** the allowed body fields; others are rejected */
  readonly fields?: readonly string[]
  /** Returns the JSON value of the response. Throws {@link RequestError} to reject the request. */
  readonly handle: (request: JsonRequest) => unknown
  /** Shows the value to a browser. */
  readonly page?: (value: unknown) => Page
}

/** A GET route. */
export function get(path: string, effect: string, handle: Route['handle']): Route {
  return { method: 'GET', path, effect, handle }
}

/** A POST route. */
export function post(path: string, effect: string, fields: readonly string[], handle: Route['handle']): Route {
  return { method: 'POST', path, effect, fields, handle }
}

/** Rejects a request with a status and the body `{"code", "message"}`. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const MAX_BODY_BYTES = 64 * 1024

/** A minimal JSON server on loopback. */
export class JsonServer {
  readonly url: string
  readonly #server: Server

  private constructor(server: Server, port: number) {
    this.#server = server
    this.url = `http://${LOOPBACK}:${port}`
  }

  /** Starts a server; port 0 selects a free port. */
  static async start(routes: readonly Route[], port: number): Promise<JsonServer> {
    const server = createServer((request, response) => void respond(routes, request, response))
    return new JsonServer(server, await listen(server, port))
  }

  close(): Promise<void> {
    return closeServer(this.#server)
  }
}

async function respond(routes: readonly Route[], request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('connection', 'close')
  try {
    const { route, value } = await handle(routes, request)
    const isBrowser = request.headers.accept?.includes('text/html')
    if (isBrowser && route.page) sendPage(response, route.page(value))
    else sendJson(response, 200, value)
  } catch (error) {
    const { status, code, message } = error instanceof RequestError ? error : internalError(error)
    sendJson(response, status, { code, message })
  }
}

interface Handled {
  readonly route: Route
  readonly value: unknown
}

async function handle(routes: readonly Route[], request: IncomingMessage): Promise<Handled> {
  assertLoopbackHost(request)
  const url = requestUrl(request)
  const matching = routes.flatMap(route => {
    const params = matchPath(route.path, url.pathname)
    return params === undefined ? [] : [{ route, params }]
  })
  if (matching.length === 0) throw new RequestError(404, 'not_found', 'not found')
  const match = matching.find(({ route }) => route.method === request.method)
  if (match === undefined) throw new RequestError(405, 'method_not_allowed', `use ${matching[0]!.route.method} here`)
  const { route, params } = match
  const body = route.method === 'POST' ? await readBody(request, route.fields ?? []) : {}
  return { route, value: await route.handle({ query: url.searchParams, params, body }) }
}

/** Rejects other host names, so that a web page cannot reach the server by DNS rebinding. */
function assertLoopbackHost({ headers: { host = '' } }: IncomingMessage): void {
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host)) {
    throw new RequestError(403, 'not_loopback', 'the sandbox is available on loopback only')
  }
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const patternParts = pattern.split('/')
  const pathParts = path.split('/')
  if (patternParts.length !== pathParts.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of patternParts.entries()) {
    if (part.startsWith(':') && pathParts[i] !== '') params[part.slice(1)] = decodePart(pathParts[i]!)
    else if (part !== pathParts[i]) return undefined
  }
  return params
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

async function readBody(request: IncomingMessage, fields: readonly string[]): Promise<Record<string, unknown>> {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new RequestError(415, 'unsupported_media_type', 'send Content-Type: application/json')
  }
  const body = parseJson(await readText(request))
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidJson()
  const unknown = Object.keys(body).find(name => !fields.includes(name))
  if (unknown !== undefined) throw new RequestError(400, 'unknown_field', `unknown field ${unknown}`)
  return body as Record<string, unknown>
}

/** The request body as text. Throws {@link RequestError} when it is over 64 KiB. */
export async function readText(request: IncomingMessage): Promise<string> {
  const { bytes, truncated } = await readBytes(request, MAX_BODY_BYTES)
  if (truncated) throw new RequestError(413, 'body_too_large', 'body over 64 KiB')
  return bytes.toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidJson()
  }
}

function invalidJson(): RequestError {
  return new RequestError(400, 'invalid_json', 'invalid json')
}

function internalError(error: unknown): RequestError {
  console.error('sandbox request failed', error)
  return new RequestError(500, 'internal_error', 'internal error')
}
