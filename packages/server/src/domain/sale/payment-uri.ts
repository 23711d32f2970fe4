import { formatZec, type Zat } from '../money.ts'

/** One payment of a request for several. */
export interface Payee {
  readonly address: string
  readonly amountZat: Zat
  readonly memo: string
}

/** A ZIP 321 request for several payments: `zcash:?address=…&amount=…&memo=…&address.1=…&amount.1=…&memo.1=…`. */
export function paymentUriOfSeveral(payees: readonly Payee[]): string {
  const parameters = payees.flatMap(({ address, amountZat, memo }, index) => {
    const suffix = index === 0 ? '' : `.${index}`
    const values = { address, amount: formatZec(amountZat), memo: Buffer.from(memo).toString('base64url') }
    return Object.entries(values).map(([name, value]) => `${name}${suffix}=${value}`)
  })
  return `zcash:?${parameters.join('&')}`
}

/**
 * A ZIP 321 payment request: `zcash:<address>?amount=<decimal ZEC>&memo=<base64url of the text, unpadded>`.
 * @param amountZat null: the payer chooses it, and the request has no `amount`
 */
export function paymentUri(address: string, amountZat: Zat | null, memo: string): string {
  const amount = amountZat === null ? '' : `amount=${formatZec(amountZat)}&`
  return `zcash:${address}?${amount}memo=${Buffer.from(memo).toString('base64url')}`
}
