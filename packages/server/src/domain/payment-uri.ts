import { ZAT_PER_ZEC, type Zat } from './money.ts'

/** A ZIP 321 payment request: `zcash:<address>?amount=<decimal ZEC>&memo=<base64url of the text, unpadded>`. */
export function paymentUri(address: string, amountZat: Zat, memo: string): string {
  return `zcash:${address}?amount=${formatZec(amountZat)}&memo=${Buffer.from(memo).toString('base64url')}`
}

/** Formats zat as decimal ZEC: exact, without exponent or trailing zeros. 150000000 → `1.5`. */
export function formatZec(amountZat: Zat): string {
  const fraction = (amountZat % ZAT_PER_ZEC).toString().padStart(8, '0').replace(/0+$/, '')
  const whole = (amountZat / ZAT_PER_ZEC).toString()
  return fraction === '' ? whole : `${whole}.${fraction}`
}
