import type { Clock } from '../../ports/clock.ts'

const DEFAULT_SECS = 30
const MAX_SECS = 5 * 60

/** The time for which the provider has asked for no requests, with status 429. */
export class ProviderPause {
  readonly #clock: Pick<Clock, 'nowMs'>
  #untilMs = 0

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock
  }

  /** Seconds left; 0: none. A clock that was set back does not prolong it. */
  get secsLeft(): number {
    const secs = Math.ceil((this.#untilMs - this.#clock.nowMs()) / 1000)
    return secs > MAX_SECS ? 0 : Math.max(0, secs)
  }

  /** @param retryAfter the header of the response: seconds or a date; at most five minutes count */
  begin(retryAfter: string | undefined): void {
    const nowMs = this.#clock.nowMs()
    this.#untilMs = nowMs + Math.min(MAX_SECS, Math.max(1, parseSecs(retryAfter, nowMs))) * 1000
  }
}

function parseSecs(text: string | undefined, nowMs: number): number {
  if (text === undefined || text.length > 64) return DEFAULT_SECS
  if (/^\d+$/.test(text)) return Number(text)
  const dateMs = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(dateMs) ? DEFAULT_SECS : Math.ceil((dateMs - nowMs) / 1000)
}
