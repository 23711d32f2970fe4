import type { Rate } from '../domain/rate.ts'

/** A source of ZEC prices. */
export interface RateSource {
  /**
   * The price of 1 ZEC in units of the currency, decimal.
   * @throws when no valid response arrives in time
   */
  price(currency: string): Promise<string>
}

/** Cached prices of ZEC. */
export interface Rates {
  /**
   * A rate not older than RATES_MAX_AGE_SECS.
   * @throws AppError `rate_unavailable`
   */
  rate(currency: string): Promise<Rate>
}
