import { createOneClick } from '@zatgate/server/adapters/oneclick/provider'
import type { Clock } from '@zatgate/server/ports/clock'
import { HttpClientError, type HttpRequest, type HttpResponse } from '@zatgate/server/ports/http-client'
import type { SwapProvider } from '@zatgate/server/ports/swap-provider'
import { SimulatedClock } from '../../runtime/clock.ts'
import { Draw } from '../../runtime/draw.ts'
import type { Scheduler } from '../../runtime/scheduler.ts'
import { TOKENS_BODY } from './asset.ts'
import { failedResponse, jsonResponse, lostResponse, NO_FAULTS, type ProviderFaults, unreachable } from './faults.ts'
import { isDone, type Order, type OrderState, type QuoteServing, type StatusAnswer, stateOf } from './order.ts'
import { makeOrder, type QuoteRequestBody, refusalOf, tamper } from './quote.ts'
import { SIGNING_KEY } from './signature.ts'

const API_URL = 'https://1click.example'
/** How far ahead a wrong clock of the provider dates a report: more than any clock of the service. */
const AHEAD_MS = 10 * 365 * 86_400_000

/** A response of the provider, and whether it is honest and useful. */
interface Handled {
  readonly response: HttpResponse | HttpClientError
  /** The service cannot use the response. */
  readonly useless: boolean
}

/** The simulated swap provider: 1Click over a simulated HTTP client, with the truth about its orders. */
export class SwapProviderServer {
  readonly faults: ProviderFaults = { ...NO_FAULTS }
  /** By deposit address, in the order of the quotes. */
  readonly orders = new Map<string, Order>()
  /** Everything that was sent about quotes, by the text of the response. */
  readonly servings = new Map<string, QuoteServing>()
  /** Everything that was sent about statuses, by the text of the response. */
  readonly answers = new Map<string, StatusAnswer>()
  /** Answers by the order that they describe. */
  readonly #answersOf = new Map<Order, StatusAnswer[]>()
  /** Requests that ended without a response that the service can use. */
  useless = 0
  /** When the last of them ended. */
  uselessAtMs = Number.NEGATIVE_INFINITY
  /** When it last answered that there are too many requests. */
  throttledAtMs = Number.NEGATIVE_INFINITY
  /** Quotes refused with status 400. */
  refusals = 0
  /** Called for each request for the status of an order. */
  onStatusRequest: (order: Order) => void = () => {}
  readonly #scheduler: Scheduler
  readonly #draw: Draw
  readonly #clock: SimulatedClock
  #responses = 0

  constructor(scheduler: Scheduler, seed: number) {
    this.#scheduler = scheduler
    this.#draw = new Draw(seed, 'swap provider')
    this.#clock = new SimulatedClock(scheduler)
  }

  /** The service's own adapter, connected to this provider. */
  connect(clock: Clock): SwapProvider {
    const http = { send: (request: HttpRequest) => this.#send(request), close: () => {} }
    return createOneClick({ http, apiUrl: API_URL, apiKey: null, signingKey: SIGNING_KEY, clock })
  }

  /** The answers that described this order. */
  answersAbout(order: Order): readonly StatusAnswer[] {
    return this.#answersOf.get(order) ?? []
  }

  /** Sets the status of an order, unless it has a final one. */
  setStatus(order: Order, status: string): void {
    if (isDone(order)) return
    order.states.push({ status, updatedAtMs: Math.max(this.#scheduler.nowMs, stateOf(order).updatedAtMs + 1) })
  }

  heal(): void {
    Object.assign(this.faults, NO_FAULTS)
    for (const order of this.orders.values()) order.hiddenUntilMs = 0
  }

  async #send(request: HttpRequest): Promise<HttpResponse> {
    const deadlineMs = this.#scheduler.nowMs + request.deadlineMs
    await this.#scheduler.pause()
    const { response, useless } = this.#handle(request)
    const delayMs = this.faults.hangs ? request.deadlineMs : this.#draw.int(0, this.faults.slowMs)
    if (delayMs > 0) await this.#clock.sleep(Math.min(delayMs, request.deadlineMs), request.signal)
    await this.#scheduler.pause()
    const timedOut = this.#scheduler.nowMs >= deadlineMs
    if (useless || timedOut) {
      this.useless += 1
      this.uselessAtMs = this.#scheduler.nowMs
    }
    if (!(response instanceof HttpClientError) && response.status === 429) this.throttledAtMs = this.#scheduler.nowMs
    if (request.signal?.aborted) throw new HttpClientError('aborted', 'aborted')
    if (timedOut) throw new HttpClientError('timeout', 'no response in time')
    if (response instanceof HttpClientError) throw response
    return response
  }

  #handle({ url, body }: HttpRequest): Handled {
    const { faults } = this
    if (faults.down) return { response: unreachable(), useless: true }
    if (this.#chance(faults.failureRate)) return { response: failedResponse(this.#draw), useless: true }
    const { pathname, searchParams } = new URL(url)
    if (pathname === '/v0/tokens') return { response: jsonResponse(200, TOKENS_BODY), useless: false }
    if (pathname === '/v0/quote') return this.#quote(JSON.parse(String(body)))
    return this.#status(searchParams.get('depositAddress') ?? '', searchParams.get('depositMemo'))
  }

  #quote(body: QuoteRequestBody): Handled {
    const { faults, orders } = this
    const { nowMs } = this.#scheduler
    const refusal = faults.refuses ? 'refundTo is not valid' : refusalOf(body, nowMs)
    if (refusal !== null) {
      this.refusals += 1
      return { response: jsonResponse(400, JSON.stringify({ message: refusal })), useless: false }
    }
    const earlier = faults.replays ? this.#earlierQuote(body) : undefined
    const order = earlier ?? makeOrder(body, orders.size + 1, nowMs, this.#draw)
    if (!earlier) order.hiddenUntilMs = nowMs + this.#draw.int(0, faults.unindexedMs)
    orders.set(order.depositAddress, order)
    // An old quote with these terms that the service has never seen.
    const tampering = faults.tampering ?? (faults.replays && !earlier ? 'timestamp' : null)
    const quote = tampering === null ? order.signed : tamper(order, tampering)
    const text = JSON.stringify({ correlationId: this.#responseId(), ...quote })
    // A wrong timestamp is judged as an age, because a wrong clock of the service can make it look right.
    const valid = tampering === null || tampering === 'timestamp'
    this.servings.set(text, { order, ageMs: nowMs - Date.parse(quote.timestamp), valid })
    if (this.#chance(faults.lossRate)) return { response: lostResponse(), useless: true }
    return { response: jsonResponse(201, text), useless: tampering !== null || earlier !== undefined }
  }

  /** The oldest quote with these terms, preferably one without a request since. */
  #earlierQuote(body: QuoteRequestBody): Order | undefined {
    const same = [...this.orders.values()].filter(
      ({ asset, recipient, refundTo, amountZat, deadlineMs }) =>
        asset.assetId === body.originAsset &&
        recipient === body.recipient &&
        refundTo === body.refundTo &&
        String(amountZat) === body.amount &&
        deadlineMs === Date.parse(body.deadline),
    )
    return same.find(({ statusRequests }) => statusRequests === 0) ?? same[0]
  }

  #status(depositAddress: string, depositMemo: string | null): Handled {
    const order = this.orders.get(depositAddress)
    if (!order || order.depositMemo !== depositMemo) return { response: notFound(), useless: false }
    order.statusRequests += 1
    this.onStatusRequest(order)
    if (order.hiddenUntilMs > this.#scheduler.nowMs) return { response: notFound(), useless: false }
    const others = [...this.orders.values()].filter(other => other !== order)
    const isForeign = others.length > 0 && this.#chance(this.faults.foreignRate)
    const told = isForeign ? this.#draw.pick(others) : order
    const earlier = told.states.slice(0, -1)
    const isStale = earlier.length > 0 && this.#chance(this.faults.staleRate)
    const state = isStale ? this.#draw.pick(earlier) : stateOf(told)
    const aheadMs = this.#chance(this.faults.aheadRate) ? AHEAD_MS : 0
    return { response: jsonResponse(200, this.#answer(told, state, aheadMs)), useless: told !== order }
  }

  #answer(order: Order, state: OrderState, aheadMs: number): string {
    const updatedAtMs = state.updatedAtMs + aheadMs
    const text = JSON.stringify({
      correlationId: this.#responseId(),
      status: state.status,
      updatedAt: new Date(updatedAtMs).toISOString(),
      swapDetails: null,
      quoteResponse: order.signed,
    })
    const answer = { order, state, updatedAtMs, atMs: this.#scheduler.nowMs }
    this.answers.set(text, answer)
    const known = this.#answersOf.get(order)
    if (known) known.push(answer)
    else this.#answersOf.set(order, [answer])
    return text
  }

  #responseId(): string {
    this.#responses += 1
    return `response-${this.#responses}`
  }

  #chance(probability: number): boolean {
    return probability > 0 && this.#draw.chance(probability)
  }
}

function notFound(): HttpResponse {
  return jsonResponse(404, '{"message":"Deposit address not found"}')
}
