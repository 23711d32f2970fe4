import { type Invoice, type InvoiceStatus, isClosed } from './invoice.ts'
import type { InvoiceReason } from './invoice-state.ts'

/** The state that decides which events an invoice raises. */
type InvoiceEventState = Pick<
  Invoice,
  'status' | 'underpaidAt' | 'receivedZat' | 'dueZat' | 'overpaidZat' | 'needsAttention'
>

type InvoiceEventType =
  | 'invoice.payment_received'
  | 'invoice.reorged'
  | 'invoice.late_payment'
  | 'invoice.part_paid'
  | 'invoice.overpaid'
  | 'invoice.detected'
  | 'invoice.paid'
  | 'invoice.underpaid'
  | 'invoice.canceled'
  | 'invoice.expired'

/**
 * The events that a change raises, in their order: what arrived before what it made of the invoice. `invoice.underpaid`
 * is raised at most once; the others each time that it happens.
 * @param because why the invoice has its status after the change
 */
export function invoiceEventsOf(
  before: InvoiceEventState,
  after: InvoiceEventState,
  because: InvoiceReason,
): InvoiceEventType[] {
  const becomes = (status: InvoiceStatus) => before.status !== status && after.status === status
  const receivedMore = after.receivedZat > before.receivedZat
  const raised: readonly [InvoiceEventType, boolean][] = [
    ['invoice.payment_received', receivedMore],
    ['invoice.reorged', because === 'payments_removed' && !before.needsAttention],
    ['invoice.late_payment', receivedMore && isClosed(before.status)],
    ['invoice.part_paid', receivedMore && after.dueZat > 0n],
    ['invoice.overpaid', after.overpaidZat > before.overpaidZat],
    ['invoice.detected', becomes('detected')],
    ['invoice.paid', becomes('paid')],
    ['invoice.underpaid', becomes('underpaid') && before.underpaidAt === null],
    ['invoice.canceled', because === 'canceled' && !isClosed(before.status)],
    ['invoice.expired', becomes('expired') && because === 'expired'],
  ]
  return raised.flatMap(([type, isRaised]) => (isRaised ? [type] : []))
}
