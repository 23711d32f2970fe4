import type { Zat } from '../money.ts'
import { currencyDecimals, isCurrency, priceUnits } from '../rate.ts'
import { startOfDay } from '../time.ts'
import { currencyCode, type Price } from './price.ts'

/** The prices in one currency of an account's sales that became paid on one UTC day, or a change of them. */
export interface DailyPriceChange {
  readonly accountId: number
  /** Unix seconds of the day's start. */
  readonly day: number
  /** ISO 4217. */
  readonly currency: string
  readonly invoices: number
  /** In the smallest unit of the currency: cents for EUR. */
  readonly units: bigint
  /** The amounts to which these prices were converted. */
  readonly amountZat: Zat
}

interface PricedSale {
  readonly accountId: number
  readonly purpose: string
  readonly paidAt: number | null
  readonly price: Price | null
  readonly amountZat: Zat
}

/** A higher price is not counted, so that the sum of a day fits 64 bits. */
const MAX_UNITS = 10n ** 15n
/** The decimal places of `priceUnits`. */
const PRICE_DECIMALS = 12

/** Changes of the daily sums of paid prices that follow from changed invoices, by account, day and currency. */
export function dailyPriceChanges(
  changes: readonly { readonly before: PricedSale; readonly after: PricedSale }[],
): DailyPriceChange[] {
  const sums = new Map<string, DailyPriceChange>()
  for (const { before, after } of changes) {
    if (after.purpose !== 'sale' || before.paidAt === after.paidAt) continue
    add(sums, before, -1)
    add(sums, after, 1)
  }
  return [...sums.values()]
    .filter(({ invoices }) => invoices !== 0)
    .sort((a, b) => a.accountId - b.accountId || a.day - b.day || (a.currency < b.currency ? -1 : 1))
}

function add(sums: Map<string, DailyPriceChange>, sale: PricedSale, sign: 1 | -1): void {
  const { accountId, paidAt, price, amountZat } = sale
  if (paidAt === null || price === null) return
  const units = smallestUnits(price)
  if (units === null) return
  const [day, currency] = [startOfDay(paidAt), currencyCode(price)]
  const key = `${accountId} ${day} ${currency}`
  const sum = sums.get(key) ?? { accountId, day, currency, invoices: 0, units: 0n, amountZat: 0n }
  const factor = BigInt(sign)
  sums.set(key, {
    ...sum,
    invoices: sum.invoices + sign,
    units: sum.units + factor * units,
    amountZat: sum.amountZat + factor * amountZat,
  })
}

/** The price in the smallest unit of its currency, rounded half up. Null for BTC, SATS and ZEC, and for a huge one. */
function smallestUnits(price: Price): bigint | null {
  const currency = currencyCode(price)
  if (!isCurrency(currency)) return null
  const unit = 10n ** BigInt(PRICE_DECIMALS - currencyDecimals(currency))
  const units = (priceUnits(price.amount) + unit / 2n) / unit
  return units <= MAX_UNITS ? units : null
}
