import { invalidField } from '../error.ts'
import { MAX_ZAT, ZAT_PER_ZEC, type Zat, ZEC_DECIMALS } from '../money.ts'
import { currencyDecimals, isRateCurrency, parsePrice, priceUnits, type Rate } from '../rate.ts'

/** A price in money, as it was given. It is stored and sent in this form. */
export interface Price {
  /** Decimal, more than 0, at most 12 digits before and after the point. */
  amount: string
  /** ISO 4217, BTC, SATS or ZEC, in any case. */
  currency: string
}

/** The rate at which a price was converted: kept with what it priced, in the form in which it is sent. */
export interface LockedRate {
  /** The currency of the rate: that of the price, or BTC for SATS. */
  currency: string
  /** The price of 1 ZEC. Decimal. */
  price: string
  /** The names of the sources that agreed. */
  sources: string[]
  /** When the oldest of their prices was true, in Unix seconds. */
  fetched_at: number
  /** The fiat rate by which a price in USD was converted; absent for a price that the sources quote. */
  cross?: { source: string; pair: string; price: string }
}

const AMOUNT = /^\d{1,12}(?:\.\d{1,12})?$/
const CURRENCY = /^[A-Za-z]{3,4}$/

/**
 * Checks a price. It stays as it was given: `25.00` is not made `25`.
 * @throws AppError `invalid_price`
 */
export function parseMoney(amount: string, currency: string): Price {
  if (!isPriceCurrency(currency)) throw invalidField('price', 'its currency: a code of ISO 4217, BTC, SATS or ZEC')
  if (!AMOUNT.test(amount) || parsePrice(amount) === null)
    throw invalidField(
      'price',
      'its amount: a decimal number above 0 with at most 12 digits before and after the point',
    )
  return { amount, currency }
}

/** Whether a price can be in this currency, in any case. */
export function isPriceCurrency(currency: string): boolean {
  const code = currencyCode({ currency })
  return CURRENCY.test(currency) && (code === 'ZEC' || code === 'SATS' || isRateCurrency(code))
}

/** The code of the price's currency in upper case. */
export function currencyCode({ currency }: Pick<Price, 'currency'>): string {
  return currency.toUpperCase()
}

/** The decimal places of amounts in the currency of a price. @param currency in upper case */
export function priceDecimals(currency: string): number {
  if (currency === 'ZEC' || currency === 'BTC') return ZEC_DECIMALS
  return currency === 'SATS' ? 0 : currencyDecimals(currency)
}

/** The currency whose rate converts a price. Null for ZEC, which needs none. */
export function rateCurrencyOf(price: Pick<Price, 'currency'>): string | null {
  const code = currencyCode(price)
  if (code === 'ZEC') return null
  return code === 'SATS' ? 'BTC' : code
}

/** The rate to keep with what it prices. */
export function lockRate({ currency, price, sources, fetchedAt, cross }: Rate): LockedRate {
  return { currency, price, sources: [...sources], fetched_at: fetchedAt, ...(cross && { cross: { ...cross } }) }
}

const SATS_PER_BTC = 100_000_000n
/** `priceUnits` of 1. */
const UNITS_PER_ONE = priceUnits('1')

/**
 * The cost of 1 ZEC in the currency of a price, in units of the twelfth decimal place.
 * @param rate in the currency of `rateCurrencyOf`; null for ZEC
 */
export function unitsPerZec(price: Pick<Price, 'currency'>, rate: Pick<LockedRate, 'price'> | null): bigint {
  const units = rate === null ? UNITS_PER_ONE : priceUnits(rate.price)
  return currencyCode(price) === 'SATS' ? units * SATS_PER_BTC : units
}

/**
 * The price in zat, rounded up: a merchant never gets less than the price, and a buyer pays less than one zat more.
 *
 * @param rate see `unitsPerZec`
 * @throws AppError `invalid_price` for more than the total supply
 */
export function zatFor(price: Price, rate: Pick<LockedRate, 'price'> | null): Zat {
  const zat = roundedUp(priceUnits(price.amount) * ZAT_PER_ZEC, unitsPerZec(price, rate))
  if (zat > MAX_ZAT) throw invalidField('price', 'its amount: at most the total supply of ZEC')
  return zat
}

function roundedUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
