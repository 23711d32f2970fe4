import type { Zat } from '../../../domain/money.ts'
import type { InvoiceStatus } from '../../../domain/sale/invoice.ts'
import type { Page } from '../page.ts'

/** The purpose of an invoice: a merchant's sale, or internal (the purchase of a plan, the deposit of a withdrawal). */
export type InvoicePurpose = 'sale' | 'plan' | 'withdrawal'

/** A stored invoice. Times are in Unix seconds unless a field says otherwise. */
export interface Invoice {
  readonly id: number
  readonly publicId: string
  readonly accountId: number
  readonly viewingKeyId: number
  readonly diversifierIndex: bigint
  readonly purpose: InvoicePurpose
  readonly address: string
  readonly amountZat: Zat
  readonly confirmations: number
  readonly status: InvoiceStatus
  readonly receivedZat: Zat
  readonly overpaidZat: Zat
  readonly txid: string | null
  readonly createdAt: number
  readonly expiresAt: number
  /** Late payments count until this time. */
  readonly watchUntil: number
  readonly paidAt: number | null
  /**
   * A swap keeps the invoice open: the provider has a deposit, or has not yet reported whether one arrived in time.
   */
  readonly keptOpenBySwap: boolean
  /** The current swap; earlier swaps are replaced. */
  readonly swapId: number | null
  /** Payments of this paid invoice were removed by a reorganisation. */
  readonly needsAttention: boolean
  /** Height of the last recorded block at creation. Null before the first block, and for invoices of old versions. */
  readonly createdHeight: number | null
  /** The newest rewind at creation, read together with `createdHeight`. Null for invoices of old versions. */
  readonly createdRewind: number | null
  /**
   * A payment that left the mempool can still be mined up to this height, so the invoice stays open. Null when there is
   * no such payment.
   */
  readonly openUntilHeight: number | null
  /**
   * The height of the confirmed chain from which on more of the full amount, which is received, may be confirmed. Null
   * when the amount is not received, when the invoice is paid, and when no block can confirm more.
   */
  readonly confirmsAtHeight: number | null
  /** When `invoice.underpaid` was raised. It is raised at most once. */
  readonly underpaidAt: number | null
  /** Unix seconds. Null when the invoice does not need attention, or has needed it since an older version. */
  readonly attentionSince: number | null
}

/** An invoice to insert. Its status is `pending`, with nothing received. */
export type NewInvoice = Pick<
  Invoice,
  | 'publicId'
  | 'accountId'
  | 'viewingKeyId'
  | 'diversifierIndex'
  | 'purpose'
  | 'address'
  | 'amountZat'
  | 'confirmations'
  | 'createdAt'
  | 'expiresAt'
  | 'watchUntil'
>

/** The part of an invoice that an evaluation changes. */
export type InvoiceStateUpdate = Pick<
  Invoice,
  | 'id'
  | 'status'
  | 'receivedZat'
  | 'overpaidZat'
  | 'txid'
  | 'paidAt'
  | 'needsAttention'
  | 'openUntilHeight'
  | 'confirmsAtHeight'
  | 'underpaidAt'
  | 'attentionSince'
>

/** Selects the invoices of a list. Absent fields select all. */
export interface InvoiceFilter {
  readonly status?: InvoiceStatus
  /** Only invoices that need attention. */
  readonly needsAttention?: true
  /** Only invoices that were paid more than their amount. */
  readonly overpaid?: true
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
  /**
   * Ids of invoices with `confirmsAtHeight` ≤ `height`, the lowest first: an evaluation at that height may make them paid.
   * Those that are set aside are left out.
   */
  confirmable(height: number, limit: number): Promise<number[]>
  /** Updates invoices with different ids, many by one statement. */
  updateStates(updates: readonly InvoiceStateUpdate[]): Promise<void>
  /** Makes a swap the current one. It keeps the invoice open. */
  setSwap(id: number, swapId: number, watchUntil: number): Promise<void>
  setKeptOpenBySwap(id: number, keptOpen: boolean): Promise<void>
}
