import type { PayoutProvider, PayoutRequest, PayoutResult } from '@zatgate/server/ports/payout-provider'
import type { Draw } from '../runtime/draw.ts'
import { currentOwner, type Owner, type Scheduler } from '../runtime/scheduler.ts'

/** The provider's own record of an order. */
export interface ProviderOrder {
  readonly request: PayoutRequest
  readonly end: PayoutResult
  /** Answers `processing` before the end. */
  pollsLeft: number
  /** The merchant has received the money. */
  paid: boolean
  /** Calls that have not ended. */
  readonly calls: { readonly process: Owner; readonly sinceMs: number }[]
}

/** What a watcher of the provider learns. */
export interface PayoutListener {
  /** The provider is called. `order` is as it was before the call; null at the first one. */
  called(request: PayoutRequest, order: ProviderOrder | null): void
  /** The merchant has received the money. */
  paid(order: ProviderOrder): void
}

/** A payout provider with the truth about what it has paid. It is idempotent by the order's id. */
export class SimulatedPayouts {
  /** Fraction of the calls that fail, before or after they had their effect. */
  failureRate = 0
  /** The time from a call to its answer. */
  delayMs = 0
  healed = false
  readonly orders = new Map<string, ProviderOrder>()
  readonly #scheduler: Scheduler
  readonly #draw: Draw
  readonly #listener: PayoutListener

  constructor(scheduler: Scheduler, draw: Draw, listener: PayoutListener) {
    this.#scheduler = scheduler
    this.#draw = draw
    this.#listener = listener
  }

  heal(): void {
    this.failureRate = 0
    this.delayMs = 0
    this.healed = true
  }

  /** The provider as a process of the service sees it. */
  readonly provider: PayoutProvider = {
    name: 'simulated',
    pay: async request => {
      this.#listener.called(request, this.orders.get(request.id) ?? null)
      const order = this.#orderOf(request)
      const call = { process: currentOwner(), sinceMs: this.#scheduler.nowMs }
      order.calls.push(call)
      try {
        return await this.#answer(order)
      } finally {
        order.calls.splice(order.calls.indexOf(call), 1)
      }
    },
  }

  async #answer(order: ProviderOrder): Promise<PayoutResult> {
    const { failureRate, delayMs } = this
    await this.#scheduler.pause()
    if (this.#draw.chance(failureRate)) throw new Error('the payout provider does not answer')
    const result = this.#work(order)
    if (delayMs > 0) await new Promise<void>(resolve => this.#scheduler.startTimer(delayMs, resolve))
    await this.#scheduler.pause()
    if (this.#draw.chance(failureRate)) throw new Error('the answer of the payout provider is lost')
    return result
  }

  #work(order: ProviderOrder): PayoutResult {
    if (order.pollsLeft > 0 && !this.healed) {
      order.pollsLeft -= 1
      return { state: 'processing', pollAfterSecs: this.#draw.pick([1, 20, 300, 3_000]) }
    }
    if (order.end.state === 'paid' && !order.paid) {
      order.paid = true
      this.#listener.paid(order)
    }
    return order.end
  }

  #orderOf(request: PayoutRequest): ProviderOrder {
    const known = this.orders.get(request.id)
    if (known) return known
    const end = this.#draw.weighted<PayoutResult>([
      [{ state: 'paid', reference: `paid-${request.id.slice(0, 8)}` }, 6],
      [{ state: 'failed', reason: 'unknown account' }, 2],
      [{ state: 'by_hand' }, 1],
    ])
    const order = { request, end, pollsLeft: this.#draw.pick([0, 0, 1, 3]), paid: false, calls: [] }
    this.orders.set(request.id, order)
    return order
  }
}
