import { invalidField } from './error.ts'
import { MAX_ZAT, ZAT_PER_ZEC, type Zat } from './money.ts'
import { isRateCurrency, parsePrice, priceUnits } from './rate.ts'

/** A price in money. */
export interface Price {
  /** Decimal, more than 0, at most 12 digits before and after the point. */
  readonly amount: string
  /** ISO 4217, BTC, SATS or ZEC, in upper case. */
  readonly currency: string
}

const AMOUNT = /^\d{1,12}(?:\.\d{1,12})?$/

/** @throws AppError `invalid_price` or `invalid_currency` */
export function parseMoney(amount: string, currency: string): Price {
  const code = currency.toUpperCase()
  if (code !== 'ZEC' && code !== 'SATS' && !isRateCurrency(code))
    throw invalidField('currency', 'a currency code of ISO 4217, BTC, SATS or ZEC')
  const price = AMOUNT.test(amount) ? parsePrice(amount) : null
  if (price === null)
    throw invalidField('price', 'a decimal number above 0 with at most 12 digits before and after the point')
  return { amount: price, currency: code }
}

/** The currency whose rate converts a price. Null for ZEC, which needs none. */
export function rateCurrencyOf({ currency }: Price): string | null {
  if (currency === 'ZEC') return null
  return currency === 'SATS' ? 'BTC' : currency
}

const SATS_PER_BTC = 100_000_000n
/** `priceUnits` of 1. */
const UNITS_PER_ONE = priceUnits('1')

/**
 * The price in zat, rounded up: a merchant never gets less than the price, and a buyer pays less than one zat more.
 *
 * @param rate the price of 1 ZEC in the currency of `rateCurrencyOf`; not read for ZEC
 * @throws AppError `invalid_price` for more than the total supply
 */
export function zatFor(price: Price, rate: string): Zat {
  const amount = priceUnits(price.amount) * ZAT_PER_ZEC
  const divisor = price.currency === 'ZEC' ? UNITS_PER_ONE : priceUnits(rate)
  const zat = roundedUp(amount, price.currency === 'SATS' ? divisor * SATS_PER_BTC : divisor)
  if (zat > MAX_ZAT) throw invalidField('price', 'at most the total supply of ZEC')
  return zat
}

function roundedUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
