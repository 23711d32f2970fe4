import { formatZec, type Zat } from '../money.ts'

/** A ZIP 321 payment request: `zcash:<address>?amount=<decimal ZEC>&memo=<base64url of the text, unpadded>`. */
export function paymentUri(address: string, amountZat: Zat, memo: string): string {
  return `zcash:${address}?amount=${formatZec(amountZat)}&memo=${Buffer.from(memo).toString('base64url')}`
}
