import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Clock, systemClock } from './clock.ts'
import { drip, pour } from './http/bodies.ts'
import { LOOPBACK, listen, stopListening } from './http/listen.ts'

/** How a request is answered. Times run on the real clock, since the one who waits is at the other end of a socket. */
export type Answer =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly delayMs?: number
    }
  | { readonly kind: 'redirect'; readonly location: string; readonly status?: number }
  /** nothing, ever */
  | { readonly kind: 'hang' }
  /** the connection is torn down instead of an answer */
  | { readonly kind: 'reset' }
  /** 200, then a body that comes one byte at a time and does not end */
  | { readonly kind: 'drip'; readonly intervalMs?: number }
  /** 200, then so many bytes, as fast as they are taken */
  | { readonly kind: 'huge'; readonly bytes?: number }

/** A request as it came. */
export interface Delivery {
  readonly method: string
  readonly path: string
  /** names in lower case */
  readonly headers: Readonly<Record<string, string>>
  /** the raw bytes, up to 1 MiB */
  readonly body: Buffer
  /** Unix milliseconds, when the last byte was in */
  readonly receivedAtMs: number
}

export const OK: Answer = { kind: 'status', status: 200 }

const MAX_BODY_BYTES = 1024 * 1024
const MAX_DELIVERIES = 10_000
const DRIP_INTERVAL_MS = 1000
const HUGE_BYTES = 1_000_000_000

/** A merchant's webhook endpoint that keeps what comes and answers as it is told. */
export class WebhookReceiver {
  readonly url: string
  /** the last 10,000, oldest first */
  readonly deliveries: Delivery[] = []
  readonly #scripts = new Map<string, Answer[]>()
  readonly #arrivals = new EventEmitter<{ arrival: [] }>()
  readonly #clock: Clock
  readonly #server: Server
  #arrived = 0

  private constructor(server: Server, port: number, clock: Clock) {
    this.url = `http://${LOOPBACK}:${port}/`
    this.#server = server
    this.#clock = clock
    this.#arrivals.setMaxListeners(0)
  }

  /** Starts a receiver that answers everything with 200; port 0 takes a free one. */
  static async start({
    port = 0,
    clock = systemClock,
  }: {
    port?: number
    clock?: Clock
  } = {}): Promise<WebhookReceiver> {
    const server = createServer()
    const receiver = new WebhookReceiver(server, await listen(server, port), clock)
    server.on('request', (request, response) => void receiver.#take(request, response))
    return receiver
  }

  /** The answers to the next requests to a path, in order; the last of them goes on. */
  script(answers: readonly Answer[], path = '/'): void {
    this.#scripts.set(path, [...answers])
  }

  /** Resolves with {@link deliveries} when at least so many came since the start. */
  async waitFor(count: number, signal?: AbortSignal): Promise<readonly Delivery[]> {
    while (this.#arrived < count) await once(this.#arrivals, 'arrival', signal === undefined ? {} : { signal })
    return this.deliveries
  }

  async close(): Promise<void> {
    const stopped = stopListening(this.#server)
    this.#server.closeAllConnections()
    await stopped
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request).catch(() => undefined)
    if (body === undefined) return
    const path = request.url ?? '/'
    this.deliveries.push({
      method: request.method ?? '',
      path,
      headers: flatHeaders(request),
      body,
      receivedAtMs: this.#clock.nowMs(),
    })
    this.deliveries.splice(0, Math.max(this.deliveries.length - MAX_DELIVERIES, 0))
    this.#arrived++
    this.#arrivals.emit('arrival')
    respond(this.#nextAnswer(path), request.socket, response)
  }

  #nextAnswer(path: string): Answer {
    const script = this.#scripts.get(path) ?? []
    return (script.length > 1 ? script.shift() : script[0]) ?? OK
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function flatHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headersDistinct).map(([name, values]) => [name, (values ?? []).join(', ')]))
}

function respond(answer: Answer, socket: Socket, response: ServerResponse): void {
  switch (answer.kind) {
    case 'status':
      answerAfter(answer.delayMs ?? 0, response, () =>
        response.writeHead(answer.status, { ...answer.headers }).end(answer.body ?? ''),
      )
      break
    case 'redirect':
      response.writeHead(answer.status ?? 302, { location: answer.location }).end()
      break
    case 'hang':
      break
    case 'reset':
      socket.resetAndDestroy()
      break
    case 'drip':
      drip(response, answer.intervalMs ?? DRIP_INTERVAL_MS)
      break
    case 'huge':
      void pour(response, answer.bytes ?? HUGE_BYTES)
      break
  }
}

function answerAfter(delayMs: number, response: ServerResponse, answer: () => void): void {
  const timer = setTimeout(answer, delayMs)
  response.once('close', () => clearTimeout(timer))
}
