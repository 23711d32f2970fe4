import { formatZec, type Zat } from '../money.ts'

/**
 * A ZIP 321 payment request: `zcash:<address>?amount=<decimal ZEC>&memo=<base64url of the text, unpadded>`.
 * @param amountZat null: the payer chooses it, and the request has no `amount`
 */
export function paymentUri(address: string, amountZat: Zat | null, memo: string): string {
  const amount = amountZat === null ? '' : `amount=${formatZec(amountZat)}&`
  return `zcash:${address}?${amount}memo=${Buffer.from(memo).toString('base64url')}`
}
