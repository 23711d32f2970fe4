import { type Invoice, isConfirming } from './invoice.ts'
import type { Refund } from './refund.ts'

type PublicTerms = Pick<Invoice, 'status' | 'dueZat' | 'watchUntil' | 'paidAt' | 'keptOpenBySwap'>

/**
 * When everyone's access to an invoice ends, in Unix seconds: some time after its late window or, if that is later, after
 * it was paid. Null while the invoice is open, or its late money is being confirmed.
 */
function publicUntil(invoice: PublicTerms, retentionSecs: number): number | null {
  const { status, watchUntil, paidAt, keptOpenBySwap } = invoice
  const isOpen = status === 'pending' || status === 'detected' || keptOpenBySwap
  return isOpen || isConfirming(invoice) ? null : Math.max(watchUntil, paidAt ?? 0) + retentionSecs
}

/**
 * Whether everyone who has the id of an invoice may read it.
 * @param now Unix seconds
 */
export function isPublic(invoice: PublicTerms, now: number, retentionSecs: number): boolean {
  const until = publicUntil(invoice, retentionSecs)
  return until === null || now <= until
}

/** Whether the link of a refund still works. It does while money is owed, and at least as long as the invoice is public. */
export function isRefundPublic(
  { status, updatedAt }: Pick<Refund, 'status' | 'updatedAt'>,
  invoice: PublicTerms,
  now: number,
  retentionSecs: number,
): boolean {
  const isOwed = status === 'awaiting_address' || status === 'ready'
  return isOwed || now <= updatedAt + retentionSecs || isPublic(invoice, now, retentionSecs)
}
