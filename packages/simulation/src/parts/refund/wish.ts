import type { Draw } from '../../runtime/draw.ts'
import type { KnownInvoice } from '../sale/shop.ts'

/** A request for a refund, as its merchant repeats it. Without an amount or a price: all that is left. */
export interface Wish {
  readonly invoice: KnownInvoice
  readonly amountZat?: bigint
  readonly price?: { readonly amount: string; readonly currency: string }
  /** Without it, the buyer gives the address. */
  readonly address?: string
  readonly reason?: string
  readonly idempotencyKey: string | undefined
  /** When it is sent first, in Unix milliseconds. */
  readonly atMs: number
}

/** The excess that some buyers pay. */
export const OVERPAID_ZAT = 7n

export type Kind = 'overpaid' | 'part' | 'most' | 'whole' | 'price'

export function drawKind(draw: Draw): Kind {
  return draw.weighted<Kind>([
    ['overpaid', 2],
    ['part', 2],
    ['most', 1],
    ['whole', 2],
    ['price', 3],
  ])
}

/** The terms of a refund of the invoice. */
export function drawTerms(
  draw: Draw,
  { amountZat }: KnownInvoice,
  kind: Kind,
): Pick<Wish, 'amountZat' | 'price' | 'reason'> {
  const share = (percent: number) => (amountZat * BigInt(percent)) / 100n + 1n
  const asked = { overpaid: OVERPAID_ZAT, part: share(draw.int(0, 50)), most: share(60) }
  return {
    ...(kind in asked && { amountZat: asked[kind as keyof typeof asked] }),
    ...(kind === 'price' && { price: drawPrice(draw) }),
    ...(draw.chance(0.2) && { reason: 'torn' }),
  }
}

/** A price that is mostly less than an invoice has received. */
function drawPrice(draw: Draw): { readonly amount: string; readonly currency: string } {
  const currency = draw.pick(['USD', 'EUR', 'eur', 'BTC', 'SATS', 'ZEC'])
  const amount = draw.pick(['0.010', `0.${draw.int(1, 99)}`, '1.00', `${draw.int(1, 30)}`])
  return { amount: currency === 'SATS' ? `${draw.int(1, 9)}0000001` : amount, currency }
}
