import type { Payment, Terms } from './invoice.ts'
import { sumZat, type Zat } from './money.ts'
import { lastMinableHeight } from './payment.ts'

/** What a paid invoice lacks after a reorganisation, and whether its payments can still come back. */
export interface MissingPayments {
  /** More than 0 for an invoice that needs attention. */
  readonly missingZat: Zat
  /** The last height that may hold one of the payments that are not mined; null: none of them can be mined any more. */
  readonly minableUntil: number | 'any height' | null
}

/** Why payments of these invoices are missing. The subject of the sentence is "they", the payments. */
export function causeOfLoss(invoices: readonly Pick<Terms, 'confirmations'>[]): string {
  const cause = 'a reorganisation of the Zcash chain took them back'
  // Without confirmations an invoice is paid by what is in the mempool, and that can vanish.
  return invoices.some(({ confirmations }) => confirmations === 0)
    ? `${cause}, or they left the mempool unmined`
    : cause
}

/** @param tip height of the last block read */
export function missingPayments(
  { amountZat, confirmations }: Pick<Terms, 'amountZat' | 'confirmations'>,
  payments: readonly Payment[],
  tip: number,
): MissingPayments {
  const kept = payments.filter(({ place }) => place.at === 'mined' || (confirmations === 0 && place.at === 'mempool'))
  const unmined = payments.filter(({ place }) => place.at !== 'mined')
  const last = Math.max(0, ...unmined.map(payment => lastMinableHeight(payment.expiryHeight, payment.lastSeenHeight)))
  const missingZat = amountZat - sumZat(kept.map(({ valueZat }) => valueZat))
  if (unmined.some(({ expiryHeight }) => expiryHeight === 0)) return { missingZat, minableUntil: 'any height' }
  return { missingZat, minableUntil: last > tip ? last : null }
}
