import type { Account } from '../../domain/account/account.ts'
import { invoiceEvent } from '../../domain/notify/event.ts'
import { type Invoice, type InvoiceMark, isClosed, whyNotCancelable } from '../../domain/sale/invoice.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Outbox } from '../notify/outbox.ts'
import { findSale, lockFound } from './found-invoice.ts'
import { cancelLocked } from './invoice-cancellation.ts'
import type { InvoiceChange } from './invoice-change.ts'
import type { ReportChanges, UpdateInvoices } from './invoice-state.ts'
import { swapInInvoiceEvent } from './swap-status.ts'

export interface InvoiceMarks {
  /**
   * Keeps what the merchant says of an invoice, apart from its status, which stays what the chain shows. One that is marked
   * as invalid before any money is known to come is canceled instead. Repeating it returns the invoice.
   * @throws AppError `no_such_invoice`, also for another account's
   */
  mark(account: Account, publicId: string, mark: InvoiceMark): Promise<Invoice>
}

export function createInvoiceMarks(deps: {
  readonly store: Store
  readonly outbox: Outbox
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
}): InvoiceMarks {
  const { store, outbox, updateInvoices, reportChanges, clock } = deps

  async function write(tx: Tx, given: Invoice, mark: InvoiceMark): Promise<Marked> {
    const now = nowSecs(clock)
    const isCanceled = given.canceledAt !== null && given.markedAs === null && isClosed(given.status)
    if (given.markedAs === mark || (mark === 'invalid' && isCanceled)) return { invoice: given, changes: [] }
    if (mark === 'settled' || given.markedAs !== null || given.status !== 'pending')
      return { invoice: await markLocked(tx, given, mark, now), changes: [] }
    // A recorded payment may wait to be evaluated, beside a row that cannot be written.
    const context = { locked: new Map([[given.id, given]]), isAlone: true }
    const evaluated = await updateInvoices(tx, [given.id], now, context)
    const invoice = evaluated[0]?.after ?? given
    if (whyNotCancelable(invoice) !== null)
      return { invoice: await markLocked(tx, invoice, mark, now), changes: evaluated }
    const canceled = await cancelLocked(tx, updateInvoices, invoice, now)
    return { invoice: canceled.invoice, changes: [...evaluated, ...canceled.changes] }
  }

  async function markLocked(tx: Tx, invoice: Invoice, mark: InvoiceMark, now: number): Promise<Invoice> {
    await tx.invoices.mark(invoice.id, mark, now)
    const marked = { ...invoice, markedAs: mark, markedAt: now }
    await outbox.append(tx, [invoiceEvent('invoice.marked', marked, await swapInInvoiceEvent(tx, marked), now)])
    await outbox.invoicesChanged(tx, [invoice.id], now)
    return marked
  }

  return {
    async mark(account, publicId, mark) {
      const found = await findSale(account, publicId, id => store.lookup.invoice(id))
      const { invoice, changes } = await store.write(async tx => {
        await tx.chain.lock()
        return write(tx, await lockFound(tx, found), mark)
      })
      reportChanges(changes)
      return invoice
    },
  }
}

interface Marked {
  readonly invoice: Invoice
  readonly changes: readonly InvoiceChange[]
}
