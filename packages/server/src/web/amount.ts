import { MAX_ZAT, ZAT_PER_ZEC, type Zat } from '../domain/money.ts'

/** An amount as people type it, in ZEC with up to 8 decimals; null for what is none, or more than there can be. */
export function readZec(text: string): Zat | null {
  const [, whole, fraction = ''] = /^\s*(\d{1,8})(?:[.,](\d{1,8}))?\s*$/.exec(text) ?? []
  if (whole === undefined) return null
  const amount = BigInt(whole) * ZAT_PER_ZEC + BigInt(fraction.padEnd(8, '0'))
  return amount > 0n && amount <= MAX_ZAT ? amount : null
}
