import { sumZat, type Zat } from '../money.ts'
import { fiatUnits } from '../payout/withdrawal.ts'
import { currencyDecimals, isCurrency, type Rate } from '../rate.ts'
import { DAY_SECS, startOfDay, startOfMonth, startOfWeek } from '../time.ts'
import type { DailyPriceChange } from './daily-price.ts'
import type { DailyTotalChange } from './daily-total.ts'

type DailyTotal = Omit<DailyTotalChange, 'accountId'>
export type DailyPrice = Omit<DailyPriceChange, 'accountId'>

/** Unix seconds of starts of UTC days; `to` is exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The sales of some days, as sums. */
export interface PeriodTotals {
  readonly receivedZat: Zat
  /** The sum of the refunds that were marked as sent in the period. */
  readonly refundedZat: Zat
  /** Invoices that became paid in the period. */
  readonly invoices: number
  /** Those among them with a price in the currency of the figures. */
  readonly priced: Pick<DailyPrice, 'invoices' | 'units' | 'amountZat'>
}

/** An amount of money in the smallest unit of its currency. */
export interface Value {
  readonly units: bigint
  /** False: a part is ZEC, at the current rate. */
  readonly isExact: boolean
}

/** The currency of most of the sales, by their number. Null when no price was in money. */
export function mostUsedCurrency(prices: readonly DailyPrice[]): string | null {
  const counts = new Map<string, number>()
  for (const { currency, invoices } of prices) counts.set(currency, (counts.get(currency) ?? 0) + invoices)
  const [most = null] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0] ?? []
  return most
}

/**
 * The currency that sales are shown in: that of most of them, whose prices are in the figures, otherwise that of the store.
 * Null: neither is money.
 */
export function figuresCurrency(ofSales: string | null, ofStore: string | null): string | null {
  return ofSales ?? (ofStore !== null && isCurrency(ofStore) ? ofStore : null)
}

/** Sums the days of a span. @param currency of the prices that count */
export function totalsOf(
  days: readonly DailyTotal[],
  prices: readonly DailyPrice[],
  currency: string | null,
  { from, to }: Span,
): PeriodTotals {
  const within = days.filter(({ day }) => day >= from && day < to)
  const priced = prices.filter(price => price.currency === currency && price.day >= from && price.day < to)
  return {
    receivedZat: sumZat(within.map(day => day.receivedZat)),
    refundedZat: sumZat(within.map(day => day.refundedZat)),
    invoices: within.reduce((sum, day) => sum + day.invoices, 0),
    priced: {
      invoices: priced.reduce((sum, price) => sum + price.invoices, 0),
      units: priced.reduce((sum, price) => sum + price.units, 0n),
      amountZat: sumZat(priced.map(price => price.amountZat)),
    },
  }
}

/**
 * The value of the sales of a period: their prices, and what was received without one at the current rate. Null when
 * that needs a rate and there is none.
 */
export function salesValue(
  { receivedZat, invoices, priced }: PeriodTotals,
  currency: string,
  rate: Pick<Rate, 'price'> | null,
): Value | null {
  if (priced.invoices >= invoices) return { units: priced.units, isExact: true }
  if (rate === null) return null
  const restZat = receivedZat > priced.amountZat ? receivedZat - priced.amountZat : 0n
  return { units: priced.units + fiatUnits(restZat, rate.price, 0, currencyDecimals(currency)), isExact: false }
}

/** The complete days of the current week or month, and as many from the start of the previous one. */
export interface Comparison {
  readonly current: Span
  readonly earlier: Span
}

/**
 * The spans by which this week is compared with the last one. Today is not over, so it is left out. Null on the first day.
 */
export function weekComparison(now: number): Comparison | null {
  const start = startOfWeek(now)
  return comparison(start, startOfDay(now), startOfWeek(start - DAY_SECS))
}

/** Likewise for the month. After the last day of a shorter month, both end with that day's number. */
export function monthComparison(now: number): Comparison | null {
  const start = startOfMonth(now)
  return comparison(start, startOfDay(now), startOfMonth(start - DAY_SECS))
}

function comparison(start: number, today: number, earlierStart: number): Comparison | null {
  const length = Math.min(today - start, start - earlierStart)
  if (length === 0) return null
  return { current: { from: start, to: start + length }, earlier: { from: earlierStart, to: earlierStart + length } }
}

/** By how many percent a sum has changed, rounded. Null when there is nothing to compare with. */
export function changePercent(current: bigint, earlier: bigint): number | null {
  if (earlier <= 0n) return null
  const perMille = ((current - earlier) * 1_000n) / earlier
  return Math.round(Number(perMille) / 10)
}
