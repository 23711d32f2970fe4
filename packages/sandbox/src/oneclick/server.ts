import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Clock, systemClock } from '../clock.ts'
import { RequestError, readText } from '../http/json-server.ts'
import { closeServer, LOOPBACK, listen, requestUrl } from '../http/listen.ts'
import { sendJson } from '../http/response-body.ts'
import { sendFaultyResponse } from './faults.ts'
import type { OneClick } from './oneclick.ts'
import { QuoteRequestError } from './quote.ts'
import type { Endpoint } from './script.ts'
import { TOKENS, tokenRow } from './tokens.ts'

/** A received request. */
export interface ProviderRequest {
  readonly method: string
  /** path and query */
  readonly url: string
  readonly apiKey: string | null
}

const MAX_REQUESTS = 1000
const ROUTES: Readonly<Record<string, Endpoint>> = {
  'GET /v0/tokens': 'tokens',
  'POST /v0/quote': 'quote',
  'GET /v0/status': 'status',
}

/** The 1Click API of the simulated provider, on loopback. */
export class OneClickServer {
  readonly url: string
  /** the last 1,000 requests, oldest first */
  readonly requests: ProviderRequest[] = []
  readonly #oneclick: OneClick
  readonly #clock: Clock
  readonly #server: Server

  private constructor(server: Server, port: number, oneclick: OneClick, clock: Clock) {
    this.#server = server
    this.url = `http://${LOOPBACK}:${port}`
    this.#oneclick = oneclick
    this.#clock = clock
  }

  /** Starts a server; port 0 selects a free port. */
  static async start(
    oneclick: OneClick,
    { port = 0, clock = systemClock }: { port?: number; clock?: Clock } = {},
  ): Promise<OneClickServer> {
    const server = createServer()
    const started = new OneClickServer(server, await listen(server, port), oneclick, clock)
    server.on('request', (request, response) => {
      started.#handle(request, response).catch(error => {
        console.error('sandbox swap provider request failed', error)
        response.destroy()
      })
    })
    return started
  }

  close(): Promise<void> {
    return closeServer(this.#server)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = requestUrl(request)
    this.#recordRequest(request)
    const endpoint = ROUTES[`${request.method} ${url.pathname}`]
    if (endpoint === undefined)
      return this.#sendError(response, 404, url.pathname, `Cannot ${request.method} ${url.pathname}`)
    const scripted = this.#oneclick.script.next(endpoint)
    if (scripted !== undefined) return sendFaultyResponse(scripted, response)
    const { apiKey } = this.#oneclick.settings
    if (apiKey !== null && request.headers['x-api-key'] !== apiKey) {
      return this.#sendError(response, 401, url.pathname, 'Unauthorized - API key or JWT token is invalid')
    }
    if (endpoint === 'tokens') return sendJson(response, 200, this.#tokens())
    if (endpoint === 'status') return this.#status(url, response)
    await this.#quote(request, response)
  }

  #recordRequest({ method = '', url = '', headers }: IncomingMessage): void {
    const apiKey = headers['x-api-key']
    this.requests.push({ method, url, apiKey: typeof apiKey === 'string' ? apiKey : null })
    this.requests.splice(0, Math.max(this.requests.length - MAX_REQUESTS, 0))
  }

  #tokens() {
    return TOKENS.map(token => tokenRow(token, this.#now()))
  }

  #status(url: URL, response: ServerResponse): void {
    const address = url.searchParams.get('depositAddress') ?? ''
    const body = this.#oneclick.status(address, url.searchParams.get('depositMemo'))
    if (body !== undefined) sendJson(response, 200, body)
    else
      sendJson(response, 404, { message: `Deposit address ${address} not found`, error: 'Not Found', statusCode: 404 })
  }

  async #quote(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      sendJson(response, 201, this.#oneclick.quote(parseObject(await readText(request))))
    } catch (error) {
      if (error instanceof QuoteRequestError) this.#sendError(response, 400, '/v0/quote', error.messages)
      else if (error instanceof RequestError) this.#sendError(response, error.status, '/v0/quote', error.message)
      else if (!request.destroyed) throw error
    }
  }

  #sendError(response: ServerResponse, status: number, path: string, message: string | string[]): void {
    sendJson(response, status, { message, correlationId: randomUUID(), timestamp: this.#now(), path })
  }

  #now(): string {
    return new Date(this.#clock.nowMs()).toISOString()
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // handled below
  }
  throw new QuoteRequestError('Unexpected token in JSON')
}
