import { isFresh, isUsable, type Rate, rateUnavailableError } from '../../domain/rate.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { RateSource, Rates } from '../../ports/rate.ts'

/**
 * Caches exchange rates for at most `maxAgeSecs`. A rate older than half of that is fetched again; concurrent callers
 * share one request. If the source fails, the cached rate is used until `maxAgeSecs`.
 */
export function createCachedRates(deps: {
  readonly source: RateSource
  readonly clock: Clock
  readonly maxAgeSecs: number
}): Rates {
  const { source, clock, maxAgeSecs } = deps
  const cached = new Map<string, Rate>()
  const pending = new Map<string, Promise<Rate>>()

  /** The age of a rate counts from the request, because the response may take long. */
  async function fetchRate(currency: string): Promise<Rate> {
    const fetchedAt = nowSecs(clock)
    const rate = { currency, price: await source.price(currency), fetchedAt }
    cached.set(currency, rate)
    return rate
  }

  function sharedFetch(currency: string): Promise<Rate> {
    const request = pending.get(currency) ?? fetchRate(currency).finally(() => pending.delete(currency))
    pending.set(currency, request)
    return request
  }

  return {
    async rate(currency) {
      const current = cached.get(currency)
      if (current && isFresh(current, nowSecs(clock), maxAgeSecs)) return current
      try {
        const rate = await sharedFetch(currency)
        if (isUsable(rate, nowSecs(clock), maxAgeSecs)) return rate
        throw new Error('the rate source took too long')
      } catch (cause) {
        if (current && isUsable(current, nowSecs(clock), maxAgeSecs)) return current
        throw rateUnavailableError(cause)
      }
    },
  }
}
