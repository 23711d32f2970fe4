import type { Invoice } from '../../domain/sale/invoice.ts'
import type { InvoiceReason } from '../../domain/sale/invoice-state.ts'

/** An invoice before and after an update that changed it. */
export interface InvoiceChange {
  readonly before: Invoice
  readonly after: Invoice
  /** Why it has the status after the update. */
  readonly because: InvoiceReason
}

/** Whether merchants or buyers see the change. */
export function isVisible({ before, after }: InvoiceChange): boolean {
  return (
    before.status !== after.status ||
    before.receivedZat !== after.receivedZat ||
    before.overpaidZat !== after.overpaidZat ||
    before.txid !== after.txid ||
    before.needsAttention !== after.needsAttention
  )
}

/** Whether the stored state differs. */
export function differs(change: InvoiceChange): boolean {
  const { before, after } = change
  return (
    isVisible(change) ||
    before.openUntilHeight !== after.openUntilHeight ||
    before.confirmsAtHeight !== after.confirmsAtHeight
  )
}
