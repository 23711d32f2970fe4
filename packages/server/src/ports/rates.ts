import type { Rate } from '../domain/rate.ts'

/** Where prices of the coin come from. */
export interface RateSource {
  /**
   * Units of the currency for one whole coin, decimal.
   * @throws when there is no answer in time that makes sense
   */
  price(currency: string): Promise<string>
}

export interface Rates {
  /**
   * A rate that is not older than the setting allows.
   * @throws Fault `rate_unavailable`
   */
  rate(currency: string): Promise<Rate>
}
