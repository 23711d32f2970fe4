import { AppError } from './error.ts'
import { formatFixed } from './money.ts'

/** The price of 1 ZEC in a currency. */
export interface Rate {
  /** ISO 4217, or BTC. */
  readonly currency: string
  /** Decimal, exact, without redundant zeros. */
  readonly price: string
  /** When the oldest of its quotes was true, in Unix seconds. */
  readonly fetchedAt: number
  /** The names of the sources whose quotes agree, in alphabetical order. */
  readonly sources: readonly string[]
  /** The fiat rate by which a price in USD was converted; absent for a price that the sources quote. */
  readonly cross?: CrossRate
}

/** The price of 1 USD in another currency. */
export interface CrossRate {
  readonly source: string
  /** `USD/PLN` */
  readonly pair: string
  /** Decimal. */
  readonly price: string
}

/** The price of 1 ZEC at one source. */
export interface Quote {
  readonly source: string
  /** Decimal. */
  readonly price: string
  /** Unix seconds. */
  readonly at: number
}

/** Why a quote is left out: it is too old, its price is not a positive decimal number, or the others agree on another price. */
export type LeftOutReason = 'stale' | 'no_price' | 'disagrees'

/** The rate that quotes give, or why they give none, and the quotes that are left out. */
export interface RateDecision {
  readonly rate: Pick<Rate, 'price' | 'fetchedAt' | 'sources'> | null
  /** `too_few`: fewer than the minimum are fresh; `disagreement`: too few of them agree. Null with a rate. */
  readonly problem: 'too_few' | 'disagreement' | null
  readonly leftOut: readonly { readonly source: string; readonly reason: LeftOutReason }[]
}

/** Prices agree when the highest is at most this much above the lowest. */
const MAX_SPREAD_PERCENT = 3n

/**
 * Decides the rate by the quotes that are fresh and positive. They are sorted by price. The largest group in which no
 * price is more than 3 % above another gives the rate; the others are left out. Groups of the same size that overlap
 * count as one. Groups of the same size that do not overlap are a disagreement: nothing shows which of them is right.
 *
 * The rate is the median of the group, and the lower of the two middle prices when their number is even. It is then
 * always a price that a source quotes, and within 3 % of every price in the group.
 *
 * One source that is wrong, by any factor, cannot move the rate outside the range of two or more that agree.
 *
 * @param now Unix seconds
 * @param minSources the number of sources that must agree; with 1, a single fresh quote is a rate
 */
export function decideRate(
  quotes: readonly Quote[],
  { now, maxAgeSecs, minSources }: { readonly now: number; readonly maxAgeSecs: number; readonly minSources: number },
): RateDecision {
  const leftOut: { source: string; reason: LeftOutReason }[] = []
  const counted: PricedQuote[] = []
  for (const { source, price: text, at } of quotes) {
    const price = parsePrice(text)
    if (price === null) leftOut.push({ source, reason: 'no_price' })
    else if (ageOf(at, now) > maxAgeSecs) leftOut.push({ source, reason: 'stale' })
    else counted.push({ source, price, at, units: priceUnits(price) })
  }
  if (counted.length < minSources) return { rate: null, problem: 'too_few', leftOut }
  const agreed = largestAgreement(counted)
  for (const { source } of counted.filter(quote => !agreed.includes(quote)))
    leftOut.push({ source, reason: 'disagrees' })
  // Of several quotes, one alone proves nothing: the others contradict it.
  const required = counted.length === 1 ? minSources : Math.max(2, minSources)
  if (agreed.length < required) return { rate: null, problem: 'disagreement', leftOut }
  const median = agreed[Math.floor((agreed.length - 1) / 2)] as PricedQuote
  const rate = {
    price: median.price,
    fetchedAt: agreed.reduce((oldest, { at }) => Math.min(oldest, at), now),
    sources: agreed.map(({ source }) => source).sort(),
  }
  return { rate, problem: null, leftOut }
}

interface PricedQuote extends Quote {
  readonly units: bigint
}

/** The quotes that agree, by price; none when two groups of the same size disagree. */
function largestAgreement(quotes: readonly PricedQuote[]): readonly PricedQuote[] {
  const byPrice = [...quotes].sort((a, b) => (a.units < b.units ? -1 : Number(a.units > b.units)))
  const sizeFrom = ({ units: lowest }: PricedQuote, start: number) =>
    byPrice.filter(({ units }, i) => i >= start && units * 100n <= lowest * (100n + MAX_SPREAD_PERCENT)).length
  const sizes = byPrice.map(sizeFrom)
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0)
  const first = sizes.indexOf(largest)
  const last = sizes.lastIndexOf(largest)
  return last >= first + largest ? [] : byPrice.slice(first, last + largest)
}

/** A time in the future, noted before the clock was set back, is as old as it is ahead. */
function ageOf(at: number, now: number): number {
  return Math.abs(now - at)
}

/** Whether what was fetched at this time is fetched again: it is half as old as it may become. @param now Unix seconds */
export function isDue(fetchedAt: number, now: number, maxAgeSecs: number): boolean {
  return ageOf(fetchedAt, now) * 2 >= maxAgeSecs
}

/** The maximum age of a fiat rate, in seconds. Fiat currencies move by far less than 3 % in an hour. */
export const CROSS_MAX_AGE_SECS = 3_600

/** Whether a fiat rate of this time may be used. @param now Unix seconds */
export function isCrossUsable(fetchedAt: number, now: number): boolean {
  return ageOf(fetchedAt, now) <= CROSS_MAX_AGE_SECS
}

/** Converts a rate in USD. Null when the product is no price. */
export function crossedRate(usd: Rate, currency: string, cross: CrossRate): Rate | null {
  const product = priceUnits(usd.price) * priceUnits(cross.price)
  const price = parsePrice(formatFixed(product, 2 * PRICE_DECIMALS))
  return price === null ? null : { ...usd, currency, price, cross }
}

export const PRICE_DECIMALS = 12
const PRICE = /^0{0,100}(\d{1,12})(?:\.(\d{1,12})\d{0,100})?$/

/**
 * Parses a price and removes redundant zeros. Digits after the twelfth decimal place are dropped. Null for invalid text
 * and for zero.
 */
export function parsePrice(text: string): string | null {
  const [, whole, fraction = ''] = PRICE.exec(text) ?? []
  if (whole === undefined || /^0*$/.test(whole + fraction)) return null
  const kept = fraction.replace(/0+$/, '')
  return kept === '' ? whole : `${whole}.${kept}`
}

/** A price in units of the twelfth decimal place. @param price a result of `parsePrice` */
export function priceUnits(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.')
  return BigInt(whole + fraction.padEnd(PRICE_DECIMALS, '0'))
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether Node knows the code as an ISO 4217 currency. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code)
}

/** Whether rates have this currency: ISO 4217, or BTC. */
export function isRateCurrency(code: string): boolean {
  return code === 'BTC' || isCurrency(code)
}

/** Number of decimal places of a currency: 2 for USD, 0 for JPY. */
export function currencyDecimals(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  return maximumFractionDigits
}

/** @param cause the error of the source, for the log */
export function rateUnavailableError(cause: unknown): AppError {
  return new AppError('rate_unavailable', { cause, retryAfterSecs: 5 })
}
