import type { RateSource, SourcePrice } from '@zatgate/server/ports/rate'
import type { Draw } from '../runtime/draw.ts'
import type { Scheduler } from '../runtime/scheduler.ts'

/** A source of exchange rates. Each answer has a price of its own, so that its age is known wherever it is used. */
export class RateServer implements RateSource {
  readonly name = 'simulated'
  down = false
  /** The time from a request to its answer. */
  delayMs = 0
  readonly #scheduler: Scheduler
  readonly #draw: Draw
  /** When each price was true, in Unix milliseconds. */
  readonly #trueAt = new Map<string, number>()
  #whole = 400

  constructor(scheduler: Scheduler, draw: Draw) {
    this.#scheduler = scheduler
    this.#draw = draw
  }

  /** The price halves, or doubles. */
  jump(): void {
    this.#whole = this.#draw.chance(0.5) ? Math.max(1, Math.floor(this.#whole / 2)) : Math.min(100_000, this.#whole * 2)
  }

  heal(): void {
    this.down = false
    this.delayMs = 0
  }

  offers(): boolean {
    return true
  }

  async price(): Promise<SourcePrice> {
    await this.#scheduler.pause()
    if (this.down) throw new Error('the rate source does not answer')
    const fraction = String(this.#trueAt.size * 10 + 1).padStart(7, '0')
    const price = `${this.#whole}.${fraction}`
    this.#trueAt.set(price, this.#scheduler.nowMs)
    const { delayMs } = this
    if (delayMs > 0) await new Promise<void>(resolve => this.#scheduler.startTimer(delayMs, resolve))
    await this.#scheduler.pause()
    return { price }
  }

  /** When the source gave this price, in Unix milliseconds; null when it never did. */
  trueAt(price: string): number | null {
    return this.#trueAt.get(price) ?? null
  }
}
