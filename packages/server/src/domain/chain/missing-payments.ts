import type { Zat } from '../money.ts'
import type { InvoiceTerms } from '../sale/invoice.ts'
import { keptAmount } from '../sale/invoice-state.ts'
import { minableUntil, type PaymentSummary, type Unmined } from '../sale/payment.ts'

/** The missing amount of a paid invoice after a reorganisation, and until when its payments can be mined again. */
export interface MissingPayments {
  /** More than 0 for an invoice that needs attention. */
  readonly missingZat: Zat
  /** The last height that may contain one of the unmined payments. Null when none of them can be mined any more. */
  readonly minableUntil: number | 'any height' | null
}

/** Describes why payments of these invoices are missing. "They" in the text are the payments. */
export function missingPaymentsCause(invoices: readonly Pick<InvoiceTerms, 'confirmations'>[]): string {
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
export function missingPayments(
  invoice: Pick<InvoiceTerms, 'amountZat' | 'confirmations'>,
  sums: Pick<PaymentSummary, 'minedZat' | 'unminedZat'>,
  unmined: readonly Unmined[],
  tip: number,
): MissingPayments {
  const missingZat = invoice.amountZat - keptAmount(invoice, sums)
  if (unmined.some(({ expiryHeight }) => expiryHeight === 0)) return { missingZat, minableUntil: 'any height' }
  return { missingZat, minableUntil: minableUntil(unmined, tip) }
}
