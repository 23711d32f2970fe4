import type { Rate } from '../../domain/rate.ts'
import { rateUnavailable } from '../../domain/rate.ts'
import type { RateSource, Rates } from '../../ports/rates.ts'
import type { Clock } from '../../ports.ts'
import { nowSecs } from '../../ports.ts'

/**
 * Rates of bounded age. One is asked for when there is none younger than half that age, by everyone who wants it
 * together; until the whole of it the one known serves where the source fails.
 */
export function createRates(deps: {
  readonly source: RateSource
  readonly clock: Clock
  readonly maxAgeSecs: number
}): Rates {
  const { source, clock, maxAgeSecs } = deps
  const known = new Map<string, Rate>()
  const asking = new Map<string, Promise<Rate>>()

  const ageOf = ({ at }: Rate) => nowSecs(clock) - at

  /** The rate is as old as the question: the answer may have travelled long. */
  async function ask(currency: string): Promise<Rate> {
    const at = nowSecs(clock)
    const rate = { currency, price: await source.price(currency), at }
    known.set(currency, rate)
    return rate
  }

  function asked(currency: string): Promise<Rate> {
    const underWay = asking.get(currency) ?? ask(currency).finally(() => asking.delete(currency))
    asking.set(currency, underWay)
    return underWay
  }

  return {
    async rate(currency) {
      const before = known.get(currency)
      if (before && ageOf(before) * 2 < maxAgeSecs) return before
      try {
        const rate = await asked(currency)
        if (ageOf(rate) <= maxAgeSecs) return rate
        throw new Error('the rate source took too long')
      } catch (cause) {
        if (before && ageOf(before) <= maxAgeSecs) return before
        throw rateUnavailable(cause)
      }
    },
  }
}
