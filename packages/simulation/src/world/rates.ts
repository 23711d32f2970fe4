import type { RateSource, SourcePrice } from '@zatgate/server/ports/rate'
import type { Draw } from '../runtime/draw.ts'
import type { Scheduler } from '../runtime/scheduler.ts'
import type { World } from './world.ts'

/** The service does not use rates beyond this age. */
export const RATES_MAX_AGE_SECS = 60

/** A price that the source has given. */
interface GivenPrice {
  readonly currency: string
  /** When it was true, in Unix milliseconds. */
  readonly trueMs: number
}

/** A source of exchange rates. Each response has a different price, so that its age is known wherever it is used. */
export class RateServer implements RateSource {
  readonly name = 'simulated'
  down = false
  /** The time from a request to its answer. */
  delayMs = 0
  readonly #scheduler: Scheduler
  readonly #draw: Draw
  readonly #given = new Map<string, GivenPrice>()
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

  async price(currency: string): Promise<SourcePrice> {
    await this.#scheduler.pause()
    if (this.down) throw new Error('the rate source does not answer')
    const fraction = String(this.#given.size * 10 + 1).padStart(7, '0')
    const price = `${this.#whole}.${fraction}`
    this.#given.set(price, { currency, trueMs: this.#scheduler.nowMs })
    const { delayMs } = this
    if (delayMs > 0) await new Promise<void>(resolve => this.#scheduler.startTimer(delayMs, resolve))
    await this.#scheduler.pause()
    return { price }
  }

  /** The currency and the time of this price; null when the source never gave it. */
  given(price: string): GivenPrice | null {
    return this.#given.get(price) ?? null
  }
}

/** Whether a price that was true then may be used for a request of this moment, by any clock of the service. */
export function isFresh({ clockErrors }: World, trueMs: number, requestedMs: number): boolean {
  const errorsMs = [...clockErrors.seenMs]
  const ageMs = requestedMs - trueMs
  // A clock that was set back by just the age of a rate makes it look new.
  const looksNew = (setBackMs: number) => Math.abs(ageMs - setBackMs) <= RATES_MAX_AGE_SECS * 1000 + 1_000
  return ageMs <= 0 || errorsMs.some(earlier => errorsMs.some(later => looksNew(earlier - later)))
}
