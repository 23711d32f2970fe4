import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Clock } from '../../src/ports/clock.ts'

export interface SkewedClockOptions {
  /** Default: the system clock. */
  readonly base?: Clock
  /** The time that the clock shows at first, in Unix seconds. Default: the time of the base. */
  readonly unixSecs?: number
  /** The speed relative to the base, which the clock agrees with at `sinceMs`. Default: 1. */
  readonly factor?: number
  /** Unix time in milliseconds. Default: now. Several processes with the same `sinceMs` and `factor` agree. */
  readonly sinceMs?: number
}

/** A clock that differs from another clock by an offset and a factor. */
export class SkewedClock implements Clock {
  /** How far it is ahead. */
  skewSecs = 0
  readonly #base: Clock
  readonly #factor: number
  readonly #sinceMs: number

  constructor({ base = systemClock, unixSecs, factor = 1, sinceMs = base.nowMs() }: SkewedClockOptions = {}) {
    this.#base = base
    this.#factor = factor
    this.#sinceMs = sinceMs
    if (unixSecs !== undefined) this.skewSecs = unixSecs - this.nowMs() / 1000
  }

  nowMs(): number {
    const elapsedMs = (this.#base.nowMs() - this.#sinceMs) * this.#factor
    return Math.floor(this.#sinceMs + elapsedMs + this.skewSecs * 1000)
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#base.sleep(ms / this.#factor, signal)
  }

  advance(secs: number): void {
    this.skewSecs += secs
  }
}

/** A clock for a whole service and its sandbox: the seconds for which their loops wait are a fifth for the test. */
export const fastClock = () => new SkewedClock({ factor: 5 })
