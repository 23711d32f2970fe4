import type { Zat } from '../../../domain/money.ts'
import type {
  Invoice,
  InvoiceMark,
  InvoiceStateUpdate,
  InvoiceStatus,
  NewInvoice,
} from '../../../domain/sale/invoice.ts'
import type { Page } from '../page.ts'

/** Selects the invoices of a list. Absent fields select all. */
export interface InvoiceFilter {
  /** Only invoices with one of these, each once. At least one. */
  readonly statuses?: readonly InvoiceStatus[]
  /** Only invoices that need attention. */
  readonly needsAttention?: true
  /** Only invoices that were paid more than their amount. */
  readonly overpaid?: true
  /** Only invoices that are not paid, and have received a part of their amount. */
  readonly partPaid?: true
  /** Only invoices that money reached after they had closed. */
  readonly late?: true
  /** Only invoices that the merchant canceled. */
  readonly canceled?: true
  /** Only invoices with a refund that is sent. */
  readonly refunded?: true
  /** Only invoices that the merchant marked so; null: only unmarked ones. */
  readonly markedAs?: InvoiceMark | null
  /** Only invoices that the merchant did not cancel. */
  readonly notCanceled?: true
  /** Only invoices that are not archived. */
  readonly notArchived?: true
  /** Only invoices of this order. */
  readonly orderId?: string
  /** Unix seconds, inclusive. */
  readonly createdFrom?: number
  /** Unix seconds, exclusive. */
  readonly createdTo?: number
}

/** Invoices. Lock them by ascending id, after the chain (`chain.lock`). */
export interface InvoiceRepository {
  /** Also stores the height of the last recorded block as `createdHeight`, and the newest rewind. */
  insert(invoice: NewInvoice): Promise<Invoice>
  byPublicId(publicId: string): Promise<Invoice | null>
  /** The existing invoices with these ids. `publicIds` must not be empty. */
  byPublicIds(publicIds: readonly string[]): Promise<Invoice[]>
  byIds(ids: readonly number[]): Promise<Invoice[]>
  /** The oldest other invoice of the same order that is open or paid. Null also for an invoice without an order. */
  otherOfOrder(invoice: Pick<Invoice, 'id' | 'accountId' | 'orderId'>): Promise<Invoice | null>
  /** An account's sales, newest first. */
  list(accountId: number, page: Page, filter?: InvoiceFilter): Promise<Invoice[]>
  /** Reads the invoices and locks their rows until the transaction ends. Ordered by id. */
  lock(ids: readonly number[]): Promise<Invoice[]>
  /** The invoices at diversifier indexes of viewing keys. */
  byDiversifierIndexes(indexes: readonly { viewingKeyId: number; diversifierIndex: bigint }[]): Promise<Invoice[]>
  /**
   * Ids of `pending` invoices with `expiresAt` ≤ `through`, not kept open by a swap, and without a payment that can still
   * be mined above `tip`; earliest expiry first. `detected` invoices are left out: their full amount has been received,
   * so they stay open, and would fill every page.
   */
  expirable(through: number, tip: number, limit: number): Promise<number[]>
  /** False when no invoice is expirable at any tip. A cheap read for a service at rest. */
  isAnyOverdue(through: number): Promise<boolean>
  /**
   * Ids of invoices with `confirmsAtHeight` ≤ `height`, the lowest first: an evaluation at that height may make them paid.
   * Those that are set aside are left out.
   */
  confirmable(height: number, limit: number): Promise<number[]>
  /** Updates invoices with different ids, many by one statement. */
  updateStates(updates: readonly InvoiceStateUpdate[]): Promise<void>
  /** Makes a swap the current one. It keeps the invoice open. */
  setSwap(id: number, swapId: number, watchUntil: number): Promise<void>
  /** Notes when the merchant canceled it. An evaluation then closes it. @param at Unix seconds */
  cancel(id: number, at: number): Promise<void>
  /** Notes what the merchant says of it. @param at Unix seconds */
  mark(id: number, mark: InvoiceMark, at: number): Promise<void>
  /** @param at Unix seconds; null: it is no longer archived */
  archive(id: number, at: number | null): Promise<void>
  /** Replaces what the shop wrote for it. */
  setTexts(id: number, texts: Pick<Invoice, 'orderId' | 'description' | 'metadata'>): Promise<void>
  /** Notes the sum of the refunds that are sent. */
  setRefunded(id: number, refundedZat: Zat): Promise<void>
  setKeptOpenBySwap(id: number, keptOpen: boolean): Promise<void>
}
