import { CROSS_MAX_AGE_SECS, type CrossRate, isCrossUsable, isDue } from '../../domain/rate.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { CrossRateSource } from '../../ports/rate.ts'

/** Cached fiat rates. */
export interface CachedCrossRates {
  /** The price of 1 USD, at most an hour old; null when there is none. */
  current(currency: string): CrossRate | null
  /** Fetches the rates when they are half an hour old. Resolves when there are usable ones, or the request has failed. */
  refreshed(): Promise<void>
}

/** A failed request is repeated after this time at the earliest. */
const RETRY_SECS = 30

/** Caches fiat rates: one request at a time, for all currencies. */
export function createCachedCrossRates(source: CrossRateSource, clock: Clock): CachedCrossRates {
  let latest: { readonly at: number; readonly prices: ReadonlyMap<string, string> } | null = null
  let askedAt: number | null = null
  let request: Promise<void> | null = null

  async function fetchRates(now: number): Promise<void> {
    try {
      latest = { at: now, prices: await source.pricesOfUsd() }
    } catch {
      // The rates of the last request are used until they are too old.
    } finally {
      request = null
    }
  }

  function usable() {
    return latest && isCrossUsable(latest.at, nowSecs(clock)) ? latest : null
  }

  return {
    current(currency) {
      const price = usable()?.prices.get(currency)
      return price === undefined ? null : { source: source.name, pair: `USD/${currency}`, price }
    },

    async refreshed() {
      const now = nowSecs(clock)
      const isWanted = latest === null || isDue(latest.at, now, CROSS_MAX_AGE_SECS)
      if (isWanted && !request && (askedAt === null || Math.abs(now - askedAt) >= RETRY_SECS)) {
        askedAt = now
        request = fetchRates(now)
      }
      if (!usable() && request) await request
    },
  }
}
