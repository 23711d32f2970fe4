import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, systemClock } from './clock.ts'
import { closeServer, LOOPBACK, listen } from './http/listen.ts'
import { readBytes } from './http/read-bytes.ts'
import { sendBulk, sendSlowly } from './http/response-body.ts'

/** A scripted response. Delays use the real clock, because the client is outside of the simulation. */
export type WebhookResponse =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly delayMs?: number
    }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  /** no response */
  | { readonly kind: 'hang' }
  /** the connection is reset */
  | { readonly kind: 'reset' }
  /** 200, then an endless body of one byte per interval */
  | { readonly kind: 'slow_body'; readonly intervalMs?: number }
  /** 200, then a body of `bytes` bytes, sent as fast as the client reads */
  | { readonly kind: 'large_body'; readonly bytes?: number }

/** A received request. */
export interface Delivery {
  readonly method: string
  readonly path: string
  /** names in lower case */
  readonly headers: Readonly<Record<string, string>>
  /** the raw bytes, up to 1 MiB */
  readonly body: Buffer
  /** Unix milliseconds at which the last byte arrived */
  readonly receivedAtMs: number
}

/** The default response. */
const OK: WebhookResponse = { kind: 'status', status: 200 }

const MAX_BODY_BYTES = 1024 * 1024
const MAX_DELIVERIES = 10_000
const SLOW_BODY_INTERVAL_MS = 1000
const LARGE_BODY_BYTES = 1_000_000_000

/** A webhook endpoint of a merchant. It records requests and sends scripted responses. */
export class WebhookReceiver {
  readonly url: string
  /** the last 10,000 requests, oldest first */
  readonly deliveries: Delivery[] = []
  readonly #scripts = new Map<string, WebhookResponse[]>()
  readonly #events = new EventEmitter<{ request: [] }>()
  readonly #clock: Clock
  readonly #server: Server
  #receivedCount = 0

  private constructor(server: Server, port: number, clock: Clock) {
    this.url = `http://${LOOPBACK}:${port}/`
    this.#server = server
    this.#clock = clock
    this.#events.setMaxListeners(0)
  }

  /** Starts a receiver that responds with 200; port 0 selects a free port. */
  static async start({
    port = 0,
    clock = systemClock,
  }: {
    port?: number
    clock?: Clock
  } = {}): Promise<WebhookReceiver> {
    const server = createServer()
    const receiver = new WebhookReceiver(server, await listen(server, port), clock)
    server.on('request', (request, response) => void receiver.#handle(request, response))
    return receiver
  }

  /** Sets the responses to the next requests to a path, in order. The last response repeats. */
  script(responses: readonly WebhookResponse[], path = '/'): void {
    this.#scripts.set(path, [...responses])
  }

  /** Resolves with {@link deliveries} when at least `count` requests have arrived since the start. */
  async waitFor(count: number, signal?: AbortSignal): Promise<readonly Delivery[]> {
    while (this.#receivedCount < count) await once(this.#events, 'request', signal === undefined ? {} : { signal })
    return this.deliveries
  }

  close(): Promise<void> {
    return closeServer(this.#server)
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBytes(request, MAX_BODY_BYTES).catch(() => undefined)
    if (body === undefined) return
    const path = request.url ?? '/'
    this.deliveries.push({
      method: request.method ?? '',
      path,
      headers: flatHeaders(request),
      body: body.bytes,
      receivedAtMs: this.#clock.nowMs(),
    })
    this.deliveries.splice(0, Math.max(this.deliveries.length - MAX_DELIVERIES, 0))
    this.#receivedCount++
    this.#events.emit('request')
    sendResponse(this.#nextResponse(path), request.socket, response)
  }

  #nextResponse(path: string): WebhookResponse {
    const script = this.#scripts.get(path) ?? []
    return (script.length > 1 ? script.shift() : script[0]) ?? OK
  }
}

function flatHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]))
}

function sendResponse(scripted: WebhookResponse, socket: Socket, response: ServerResponse): void {
  switch (scripted.kind) {
    case 'status':
      respondAfter(scripted.delayMs ?? 0, response, () =>
        response.writeHead(scripted.status, { ...scripted.headers }).end(scripted.body ?? ''),
      )
      break
    case 'redirect':
      response.writeHead(scripted.status ?? 302, { location: scripted.location }).end()
      break
    case 'hang':
      break
    case 'reset':
      socket.resetAndDestroy()
      break
    case 'slow_body':
      sendSlowly(response, scripted.intervalMs ?? SLOW_BODY_INTERVAL_MS)
      break
    case 'large_body':
      void sendBulk(response, scripted.bytes ?? LARGE_BODY_BYTES)
      break
  }
}

function respondAfter(delayMs: number, response: ServerResponse, respond: () => void): void {
  const timer = setTimeout(respond, delayMs)
  response.once('close', () => clearTimeout(timer))
}
