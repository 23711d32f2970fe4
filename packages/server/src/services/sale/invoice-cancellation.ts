import type { Account } from '../../domain/account/account.ts'
import { AppError } from '../../domain/error.ts'
import { type Invoice, whyNotCancelable } from '../../domain/sale/invoice.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { findSale, lockFound } from './found-invoice.ts'
import type { ReportChanges, UpdateInvoices } from './invoice-state.ts'

export interface InvoiceCancellations {
  /**
   * Closes an invoice without a payment: it is `expired`, with the reason `canceled`. Its address stays watched, so a
   * payment on its way still counts. Repeating it returns the invoice.
   * @throws AppError `no_such_invoice`, also for another account's; `invoice_not_cancelable`
   */
  cancel(account: Account, publicId: string): Promise<Invoice>
}

export function createInvoiceCancellations(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
}): InvoiceCancellations {
  const { store, updateInvoices, reportChanges, clock } = deps
  return {
    async cancel(account, publicId) {
      const found = await findSale(account, publicId, id => store.lookup.invoice(id))
      const { invoice, changes } = await store.write(async tx => {
        const now = nowSecs(clock)
        await tx.chain.lock()
        const invoice = await lockFound(tx, found)
        if (invoice.canceledAt !== null) return { invoice, changes: [] }
        requireCancelable(invoice)
        const canceled = await cancelLocked(tx, updateInvoices, invoice, now)
        // A recorded payment may have waited to be evaluated, beside a row that cannot be written.
        requireCancelable({ ...invoice, receivedZat: canceled.invoice.receivedZat })
        return canceled
      })
      reportChanges(changes)
      return invoice
    },
  }
}

/** Cancels a locked invoice, and evaluates it. */
export async function cancelLocked(tx: Tx, updateInvoices: UpdateInvoices, invoice: Invoice, now: number) {
  await tx.invoices.cancel(invoice.id, now)
  const canceled = { ...invoice, canceledAt: now }
  const context = { locked: new Map([[invoice.id, canceled]]), isAlone: true }
  const changes = await updateInvoices(tx, [invoice.id], now, context)
  return { invoice: changes[0]?.after ?? canceled, changes }
}

/** @throws AppError `invoice_not_cancelable` */
function requireCancelable(invoice: Invoice): void {
  const detail = whyNotCancelable(invoice)
  if (detail !== null) throw new AppError('invoice_not_cancelable', { detail })
}
