import { MAX_ZAT, ZAT_PER_ZEC, type Zat } from '../domain/money.ts'

/** Matches an amount typed in ZEC, for browsers too. */
export const AMOUNT_PATTERN = String.raw`\s*([0-9]{1,8})(?:[.,]([0-9]{1,8}))?\s*`
const AMOUNT = new RegExp(`^${AMOUNT_PATTERN}$`)

/** Parses an amount typed in ZEC, with up to eight decimal places. Returns null for text that is not a valid amount. */
export function parseZec(text: string): Zat | null {
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? []
  if (whole === undefined) return null
  const amount = BigInt(whole) * ZAT_PER_ZEC + BigInt(fraction.padEnd(8, '0'))
  return amount > 0n && amount <= MAX_ZAT ? amount : null
}

/** Matches an amount typed in any currency, for browsers. */
export const DECIMAL_PATTERN = String.raw`\s*[0-9]{1,12}(?:[.,][0-9]{1,12})?\s*`
const DECIMAL = /^\s*([0-9]{1,12})(?:[.,]([0-9]{1,12}))?\s*$/

/** An amount of money with a decimal point: `25,00` → `25.00`. Null for other text, 0, and more decimal places than `max`. */
export function parseDecimal(text: string, max: number): string | null {
  const [, whole, fraction] = DECIMAL.exec(text) ?? []
  if (whole === undefined || (fraction?.length ?? 0) > max) return null
  return /[1-9]/.test(text) ? `${whole}${fraction === undefined ? '' : `.${fraction}`}` : null
}
