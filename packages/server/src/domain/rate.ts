import { AppError } from './error.ts'

/** The price of 1 ZEC in a currency. */
export interface Rate {
  /** ISO 4217. */
  readonly currency: string
  /** Decimal, exact, without redundant zeros. */
  readonly price: string
  /** When it was fetched, in Unix seconds. */
  readonly fetchedAt: number
}

/** A rate from the future, fetched before the clock was set back, is as old as it is ahead. */
function ageOf({ fetchedAt }: Rate, now: number): number {
  return Math.abs(now - fetchedAt)
}

/** Whether a rate may still be used. @param now Unix seconds */
export function isUsable(rate: Rate, now: number, maxAgeSecs: number): boolean {
  return ageOf(rate, now) <= maxAgeSecs
}

/** Whether a rate need not be fetched again yet: it is younger than half of the maximum age. */
export function isFresh(rate: Rate, now: number, maxAgeSecs: number): boolean {
  return ageOf(rate, now) * 2 < maxAgeSecs
}

const PRICE = /^0*(\d{1,12})(?:\.(\d{1,12}?)0*)?$/

/** Parses a price and removes redundant zeros. Null for invalid text and for zero. */
export function parsePrice(text: string): string | null {
  const [, whole, fraction = ''] = PRICE.exec(text) ?? []
  if (whole === undefined || /^0*$/.test(whole + fraction)) return null
  return /^0*$/.test(fraction) ? whole : `${whole}.${fraction}`
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether Node knows the code as an ISO 4217 currency. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code)
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
