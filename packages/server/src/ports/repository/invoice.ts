import type { InvoiceStatus, Payment, Place } from '../../domain/invoice.ts'
import type { Zat } from '../../domain/money.ts'
import type { Missing } from '../../domain/payment.ts'
import type { Pool } from '../../domain/shielded-pool.ts'
import type { Page } from './account.ts'

/** What an invoice is for: a merchant's sale, or the service's own (a plan bought, a withdrawal's deposit). */
export type InvoicePurpose = 'sale' | 'plan' | 'withdrawal'

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
  /** Late payments count until then. */
  readonly watchUntil: number
  readonly paidAt: number | null
  /** Held open for a swap: a deposit is with the provider, or it is yet to be asked whether one came in time. */
  readonly swapUnderWay: boolean
  /** The present swap's; earlier ones are replaced. */
  readonly swapId: number | null
  /** A reorganisation took back payments of this paid invoice. */
  readonly needsAttention: boolean
  /** Height of the last block recorded when it was made; null before the first, and for invoices of old versions. */
  readonly createdHeight: number | null
  /** A payment that left the mempool can still be mined up to this height: the invoice stays open. Null: no such one. */
  readonly openUntilHeight: number | null
  /** When `invoice.underpaid` was raised, which it is once; null: not yet. */
  readonly underpaidAt: number | null
  /** Unix seconds; null: it does not need attention, or began to under an older version. */
  readonly attentionSince: number | null
}

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

/** What an assessment changes of an invoice. */
export type InvoiceOutcome = Pick<
  Invoice,
  | 'id'
  | 'status'
  | 'receivedZat'
  | 'overpaidZat'
  | 'txid'
  | 'paidAt'
  | 'needsAttention'
  | 'openUntilHeight'
  | 'underpaidAt'
  | 'attentionSince'
>

export interface InvoiceFilter {
  readonly status?: InvoiceStatus
  /** Only invoices that need attention. */
  readonly needsAttention?: true
  /** Unix seconds, inclusive. */
  readonly createdFrom?: number
  /** Unix seconds, exclusive. */
  readonly createdTo?: number
}

export interface InvoiceRows {
  /** Keeps the height of the last block recorded with it. */
  insert(invoice: NewInvoice): Promise<Invoice>
  byPublicId(publicId: string): Promise<Invoice | null>
  /** Those of these that there are; at least one is asked for. */
  byPublicIds(publicIds: readonly string[]): Promise<Invoice[]>
  byIds(ids: readonly number[]): Promise<Invoice[]>
  /** An account's sales, newest first. */
  list(accountId: number, page: Page, filter?: InvoiceFilter): Promise<Invoice[]>
  /** Reads for change: no other transaction changes these until this one ends. In the order of their ids. */
  lock(ids: readonly number[]): Promise<Invoice[]>
  /** The invoice at a diversifier index of a key. */
  atIndexes(at: readonly { viewingKeyId: number; diversifierIndex: bigint }[]): Promise<Invoice[]>
  /**
   * Ids of `pending` invoices with `expiresAt` ≤ `through`, no swap under way, and no payment that could still be mined
   * above `tip`; oldest expiry first. Not `detected` ones: their full amount is seen, so they are held open, and would
   * fill every page.
   */
  due(through: number, tip: number, limit: number): Promise<number[]>
  /** Ids above `afterId` of unpaid invoices that have received their full amount: what a new block can confirm. */
  settling(limit: number, afterId: number): Promise<number[]>
  /** Writes the outcomes of different invoices, many by one statement. */
  record(outcomes: readonly InvoiceOutcome[]): Promise<void>
  /** Makes a swap the present one, which holds the invoice open for now. */
  setSwap(id: number, swapId: number, watchUntil: number): Promise<void>
  setSwapUnderWay(id: number, underWay: boolean): Promise<void>
}

export interface NewPayment {
  readonly invoiceId: number
  readonly txid: string
  readonly pool: Pool
  readonly outputIndex: number
  readonly valueZat: Zat
  readonly place: Place
  /** Height above which the unmined transaction is dead; 0 or null: never, or not known. */
  readonly expiryHeight: number | null
  readonly seenAt: number
  /** Height of the last block recorded when it is seen, or of the block that it is in. */
  readonly lastSeenHeight: number
}

export interface PaymentRow extends Payment {
  readonly invoiceId: number
  readonly seenAt: number
  /** Since when complete readings of the mempool lack it, while it is unmined; null: they do not. */
  readonly missing: Missing | null
}

export interface PaymentRows {
  /** Inserts, or moves a known payment to its new place. The ids of the invoices that something changed for. */
  record(payments: readonly NewPayment[]): Promise<number[]>
  /** Each invoice's in the order of recording, dropped ones too. */
  ofInvoices(invoiceIds: readonly number[]): Promise<PaymentRow[]>
  /** Takes the height off every payment mined above `height` (back to the mempool). Invoice ids. */
  unmineAbove(height: number): Promise<number[]>
  /** The lowest height with at most `limit` payments mined above it, not below `floor`. */
  heightAboveWhich(limit: number, floor: number): Promise<number>
  /** How many payments are mined above `height`, and how many paid invoices they belong to. */
  countAbove(height: number): Promise<{ readonly payments: number; readonly paidInvoices: number }>
  /** The order of the payment recorded last; 0 before the first. */
  newestOrder(): Promise<number>
  /** The newest complete reading of the mempool, at `tip`, holds these; by their orders. */
  markPresent(orders: readonly number[], tip: number): Promise<void>
  /** The newest complete reading of the mempool lacks these, since `missing`; by their orders. */
  markMissing(orders: readonly number[], missing: Missing): Promise<void>
  /** Every payment now in the mempool: bounded by the mempool itself. */
  inMempool(): Promise<PaymentRow[]>
  /** Mempool payments of these transactions are gone. Invoice ids. */
  drop(txids: readonly string[]): Promise<number[]>
}

export interface IdempotencyRows {
  /** Claims the key for an invoice about to be made; the earlier claim when one was made at `since` or later. */
  claim(claim: {
    readonly accountId: number
    readonly key: string
    readonly bodyHash: Uint8Array
    readonly invoicePublicId: string
    readonly createdAt: number
    readonly since: number
  }): Promise<{ readonly bodyHash: Uint8Array; readonly invoicePublicId: string } | null>
  /** The claim made at `since` or later, if any. */
  find(accountId: number, key: string, since: number): Promise<{ bodyHash: Uint8Array; invoicePublicId: string } | null>
  /** Deletes claims made before; how many. */
  prune(before: number, limit: number): Promise<number>
}
