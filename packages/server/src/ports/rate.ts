import type { Quote, Rate } from '../domain/rate.ts'

/** A source of ZEC prices. */
export interface RateSource {
  readonly name: string
  /** Whether the source has prices in this currency (ISO 4217, or BTC). */
  offers(currency: string): boolean
  /**
   * The price of 1 ZEC in units of the currency.
   * @throws when no valid response arrives in time
   */
  price(currency: string): Promise<SourcePrice>
}

/** The price of a source. */
export interface SourcePrice {
  /** Decimal. */
  readonly price: string
  /** When it was true, in Unix seconds, if the source says so. */
  readonly at?: number
}

/** A source of fiat rates. */
export interface CrossRateSource {
  readonly name: string
  /**
   * The price of 1 USD in other currencies, by ISO 4217 code.
   * @throws when no valid response arrives in time
   */
  pricesOfUsd(): Promise<ReadonlyMap<string, string>>
}

/** Cached prices of ZEC. */
export interface Rates {
  /**
   * A rate not older than RATES_MAX_AGE_SECS. @param currency ISO 4217, or BTC
   * @throws AppError `rate_unavailable`
   */
  rate(currency: string): Promise<Rate>
}

/** The quotes of all sources in a currency. */
export interface CurrencyReport {
  readonly currency: string
  /** The latest quote of each source, fresh or not. */
  readonly quotes: readonly Quote[]
  /** The rate that comes of them; null when none does. */
  readonly rate: Rate | null
}

/** Rates that report what they are made of. */
export interface ReportedRates extends Rates {
  /** The currencies in use: those that were asked for in the last five minutes. */
  report(): readonly CurrencyReport[]
}
