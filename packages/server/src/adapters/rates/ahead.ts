import type { Clock } from '../../ports/clock.ts'
import type { ReportedRates } from '../../ports/rate.ts'

/** A currency is in use for this time after it was asked for. */
const IN_USE_SECS = 300

/**
 * Keeps the rates of currencies in use fresh, so that a later caller does not wait for a source. A currency is in use for
 * five minutes after it was asked for; without one there is no timer and no request. `close` ends the timers.
 *
 * @param maxAgeSecs rates are asked for at half of this age, when they are fetched again
 */
export function refreshedAhead(
  rates: ReportedRates,
  clock: Clock,
  maxAgeSecs: number,
): ReportedRates & { close(): void } {
  const askedAtMs = new Map<string, number>()
  const closing = new AbortController()

  async function keepFresh(currency: string): Promise<void> {
    while (true) {
      await clock.sleep(Math.ceil(maxAgeSecs / 2) * 1000, closing.signal)
      const idleMs = clock.nowMs() - (askedAtMs.get(currency) ?? 0)
      if (closing.signal.aborted || Math.abs(idleMs) >= IN_USE_SECS * 1000) break
      await rates.rate(currency).catch(() => undefined)
    }
    askedAtMs.delete(currency)
  }

  return {
    rate(currency) {
      const isKept = askedAtMs.has(currency)
      askedAtMs.set(currency, clock.nowMs())
      if (!isKept && !closing.signal.aborted) void keepFresh(currency)
      return rates.rate(currency)
    },
    report: () => rates.report().filter(({ currency }) => askedAtMs.has(currency)),
    close: () => closing.abort(),
  }
}
