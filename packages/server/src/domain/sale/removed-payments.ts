import type { Zat } from '../money.ts'
import { dueAmount, type InvoiceTerms } from './invoice.ts'
import { keptAmount } from './invoice-state.ts'
import { minableUntil, type PaymentSummary, type Unmined } from './payment.ts'

/** The amount that a paid invoice lacks because payments were removed, and until when they can be mined again. */
export interface RemovedPayments {
  /** More than 0 for an invoice that needs attention. */
  readonly removedZat: Zat
  /** The last height that may contain one of the unmined payments. Null when none of them can be mined any more. */
  readonly minableUntil: number | 'any height' | null
}

/** Describes why payments of these invoices were removed. "They" in the text are the payments. */
export function removedPaymentsCause(invoices: readonly Pick<InvoiceTerms, 'confirmations'>[]): string {
  const cause = 'a reorganisation of the Zcash chain removed them'
  // With 0 confirmations a mempool payment pays an invoice, and it can vanish from the mempool.
  return invoices.some(({ confirmations }) => confirmations === 0)
    ? `${cause}, or they left the mempool unmined`
    : cause
}

/**
 * @param unmined the payments in the mempool, and those that left it
 * @param tip height of the last recorded block
 */
export function removedPayments(
  invoice: Pick<InvoiceTerms, 'amountZat' | 'openAmount' | 'toleranceBps' | 'confirmations'>,
  sums: Pick<PaymentSummary, 'minedZat' | 'unminedZat'>,
  unmined: readonly Unmined[],
  tip: number,
): RemovedPayments {
  const removedZat = dueAmount(invoice, keptAmount(invoice, sums))
  if (unmined.some(({ expiryHeight }) => expiryHeight === 0)) return { removedZat, minableUntil: 'any height' }
  return { removedZat, minableUntil: minableUntil(unmined, tip) }
}
