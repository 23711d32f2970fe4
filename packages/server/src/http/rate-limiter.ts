import type { Clock } from '../ports/clock.ts'

export interface Limit {
  readonly perMinute: number
  /** How many of them may come at the same time. */
  readonly atOnce: number
}

/** Beyond this number of keys, those without a request for the longest time are forgotten. */
const MAX_KEYS = 20_000

/**
 * Limits requests by key. It keeps one time for each key, which every request moves on by its share of a minute (the
 * generic cell rate algorithm). Rejected requests do not count.
 */
export class RateLimiter {
  readonly #shareMs: number
  readonly #toleranceMs: number
  readonly #clock: Clock
  readonly #maxKeys: number
  /** When all requests of a key are paid for. Those of the latest requests come last. */
  readonly #paidAt = new Map<string, number>()

  constructor({ perMinute, atOnce }: Limit, clock: Clock, maxKeys = MAX_KEYS) {
    this.#shareMs = 60_000 / perMinute
    this.#toleranceMs = this.#shareMs * (atOnce - 1)
    this.#clock = clock
    this.#maxKeys = maxKeys
  }

  get size(): number {
    return this.#paidAt.size
  }

  /** Counts a request. @returns 0, or the milliseconds to wait if the key has reached its limit */
  count(key: string): number {
    const now = this.#clock.nowMs()
    // A clock that was set back must not lock anyone out for longer than a full limit.
    const paidAt = Math.min(Math.max(this.#paidAt.get(key) ?? 0, now), now + this.#toleranceMs + this.#shareMs)
    const waitMs = paidAt - this.#toleranceMs - now
    // Sums of shares are inexact.
    if (waitMs > 1e-6) return waitMs
    this.#paidAt.delete(key)
    this.#paidAt.set(key, paidAt + this.#shareMs)
    if (this.#paidAt.size > this.#maxKeys) this.#paidAt.delete(this.#paidAt.keys().next().value as string)
    return 0
  }
}
