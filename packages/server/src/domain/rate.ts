import { Fault } from './error.ts'

/** What one whole coin costs in a currency. */
export interface Rate {
  /** ISO 4217. */
  readonly currency: string
  /** Decimal, exact, without needless zeros. */
  readonly price: string
  /** When it was read; Unix seconds. */
  readonly at: number
}

const PRICE = /^0*(\d{1,12})(?:\.(\d{1,12}?)0*)?$/

/** A source's price as decimal digits without needless zeros; null for what is no price, and for zero. */
export function readPrice(text: string): string | null {
  const [, whole, fraction = ''] = PRICE.exec(text) ?? []
  if (whole === undefined || /^0*$/.test(whole + fraction)) return null
  return /^0*$/.test(fraction) ? whole : `${whole}.${fraction}`
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether a code is one of ISO 4217's that Node knows. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code)
}

/** Digits after the point in amounts of a currency: 2 for USD, 0 for JPY. */
export function decimalsOf(currency: string): number {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  return maximumFractionDigits
}

/** @param cause What went wrong with the source, for the log. */
export function rateUnavailable(cause: unknown): Fault {
  return new Fault('unavailable', 'rate_unavailable', 'rate unavailable', { cause, retryAfterSecs: 5 })
}
