import { MAX_ZAT, ZAT_PER_ZEC, type Zat } from '../domain/money.ts'

/** Parses an amount typed in ZEC, with up to eight decimal places. Returns null for text that is not a valid amount. */
export function parseZec(text: string): Zat | null {
  const [, whole, fraction = ''] = /^\s*(\d{1,8})(?:[.,](\d{1,8}))?\s*$/.exec(text) ?? []
  if (whole === undefined) return null
  const amount = BigInt(whole) * ZAT_PER_ZEC + BigInt(fraction.padEnd(8, '0'))
  return amount > 0n && amount <= MAX_ZAT ? amount : null
}
