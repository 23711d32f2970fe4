import { type HttpClient, HttpClientError, type HttpRequest } from '@zatgate/server/ports/http-client'
import type { Draw } from '../runtime/draw.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { ServiceProcess } from '../service/process.ts'

/** How a receiver treats its requests. `mixed`: each request in another way. */
const RECEIVER_MODES = ['works', 'mixed', 'slow', 'hangs', 'fails', 'redirects', 'breaks off', 'refuses'] as const
export type ReceiverMode = (typeof RECEIVER_MODES)[number]

/** A receiver has this long to respond. */
const TIME_LIMIT_MS = 5_000

/** The end of a request, as the process that sent it learned it. */
export interface Outcome {
  /** The status of the response, also of an incomplete one. */
  readonly status: number | null
  /** Whether a complete response with a 2xx status came in time. */
  readonly succeeded: boolean
  readonly atMs: number
  /** The clock of the process. */
  readonly clockMs: number
  /** How often nothing was left to run before. */
  readonly idles: number
}

/** A request that a receiver has seen. */
export interface WebhookRequest {
  readonly process: ServiceProcess
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The clock of the process when it sent the request. */
  readonly clockMs: number
  /** How long the process waits for the response. */
  readonly deadlineMs: number
  /** Null until the process has learned it. */
  outcome: Outcome | null
}

/** A receiver's response to one request. */
interface Reply {
  readonly afterMs: number
  /** Null: no response. */
  readonly status: number | null
  readonly failure?: 'reset' | 'too_large' | 'unreachable' | 'unresolved' | 'tls' | 'not_http'
  readonly body?: Uint8Array
}

/** A server of a merchant that receives webhooks. */
export interface Receiver {
  readonly url: string
  mode: ReceiverMode
  /** Since when the mode is in effect. */
  sinceMs: number
}

/** Servers that receive webhooks of one kind. */
export class Receivers {
  readonly all: readonly Receiver[]
  /** Called with each request that a receiver sees. */
  onRequest: (request: WebhookRequest) => void = () => {}
  /** Called with the process of the next request; it then waits for other tasks. */
  onNext: ((process: ServiceProcess) => void) | null = null
  readonly #scheduler: Scheduler
  readonly #draw: Draw

  /** @param host the first part of their names */
  constructor(scheduler: Scheduler, draw: Draw, count: number, host = 'receiver') {
    this.#scheduler = scheduler
    this.#draw = draw
    this.all = Array.from({ length: count }, (_, index) => ({
      url: `https://${host}-${index + 1}.example.org/webhook`,
      mode: 'works',
      sinceMs: scheduler.nowMs,
    }))
  }

  setMode(receiver: Receiver, mode: ReceiverMode): void {
    if (receiver.mode === mode) return
    receiver.mode = mode
    receiver.sinceMs = this.#scheduler.nowMs
  }

  /** From now on all work. */
  repair(): void {
    for (const each of this.all) this.setMode(each, 'works')
  }

  /** From now on all work, except some that never work again: deliveries to them fail after the last attempt. */
  heal(): void {
    for (const each of this.all)
      if (each.mode !== 'works') this.setMode(each, this.#draw.chance(0.9) ? 'works' : 'refuses')
  }

  /** Since when the one with this URL works; null: it does not. */
  worksSince(url: string): number | null {
    return this.all.find(each => each.url === url && each.mode === 'works')?.sinceMs ?? null
  }

  /** A process sends a request to one of them. */
  async send(process: ServiceProcess, { url, headers, body = '', deadlineMs, ...limits }: HttpRequest) {
    const { clock } = process
    const text = typeof body === 'string' ? body : Buffer.from(body).toString()
    const request: WebhookRequest = {
      process,
      url,
      headers,
      body: text,
      clockMs: clock.nowMs(),
      deadlineMs,
      outcome: null,
    }
    await this.#scheduler.pause()
    const receiver = this.all.find(candidate => candidate.url === url)
    if (!receiver) throw new HttpClientError('unresolved', 'the name has no address')
    this.onRequest(request)
    const reply = replyOf(receiver.mode, this.#draw)
    const { onNext } = this
    this.onNext = null
    onNext?.(process)
    await this.#wait(Math.min(reply.afterMs, deadlineMs))
    await (onNext ? this.#scheduler.yield() : this.#scheduler.pause())

    const isLate = reply.afterMs >= deadlineMs
    const status = isLate ? null : reply.status
    const succeeded = isSuccess(reply)
    const { nowMs: atMs, idles } = this.#scheduler
    request.outcome = { status, succeeded, atMs, clockMs: clock.nowMs(), idles }
    if (isLate) throw new HttpClientError('timeout', `no response within ${deadlineMs / 1000} s`)
    const kept = (reply.body ?? new Uint8Array()).subarray(0, limits.keepBytes ?? limits.maxBytes)
    const response = status === null ? null : { status, headers: {}, body: kept }
    if (reply.failure) throw new HttpClientError(reply.failure, reply.failure, response)
    if (!response) throw new HttpClientError('reset', 'the connection was closed')
    return response
  }

  #wait(ms: number): Promise<void> | undefined {
    if (ms === 0) return undefined
    return new Promise(resolve => void this.#scheduler.startTimer(ms, resolve))
  }
}

/** The HTTP client of a process that reaches all of these. */
export function connectReceivers(groups: readonly Receivers[], process: ServiceProcess): HttpClient {
  return {
    async send(request) {
      const group = groups.find(({ all }) => all.some(({ url }) => url === request.url))
      if (!group) throw new HttpClientError('unresolved', 'the name has no address')
      return group.send(process, request)
    },
    close: () => {},
  }
}

/** A complete 2xx response before the time limit. */
function isSuccess({ afterMs, status, failure }: Reply): boolean {
  return failure === undefined && status !== null && status >= 200 && status <= 299 && afterMs < TIME_LIMIT_MS
}

function replyOf(mode: ReceiverMode, draw: Draw): Reply {
  switch (mode) {
    case 'works':
      return { afterMs: draw.pick([0, 0, 0, 30, 900]), status: draw.pick([200, 200, 204]), body: bodyOf(draw) }
    case 'mixed':
      return replyOf(draw.pick(RECEIVER_MODES.filter(other => other !== 'mixed')), draw)
    case 'slow':
      return { afterMs: draw.pick([1_000, 4_900, 4_999, 5_001, 5_200, 60_000]), status: 200, body: bodyOf(draw) }
    case 'hangs':
      return { afterMs: Number.POSITIVE_INFINITY, status: null }
    case 'fails':
      return { afterMs: draw.pick([0, 0, 200, 4_000]), status: draw.pick([400, 404, 410, 429, 500, 503]) }
    case 'redirects':
      return { afterMs: 0, status: draw.pick([300, 301, 302, 304, 307, 308]), body: bodyOf(draw) }
    case 'breaks off':
      return {
        afterMs: draw.pick([0, 100, 3_000]),
        status: draw.pick([null, 200]),
        failure: draw.pick(['reset', 'too_large', 'not_http']),
        body: bodyOf(draw),
      }
    case 'refuses':
      return { afterMs: 0, status: null, failure: draw.pick(['unreachable', 'unresolved', 'tls']) }
  }
}

/** Receivers respond with anything. */
function bodyOf(draw: Draw): Uint8Array {
  return draw.pick([new Uint8Array(), Buffer.from('ok'), Uint8Array.of(0, 0xff, 0xc3), new Uint8Array(5_000).fill(65)])
}
