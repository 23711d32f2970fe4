import type { SoldPeriod } from '../../domain/plan.ts'
import type { Page } from './account.ts'

/**
 * `open`: not paid yet, or never. `granted`: paid, and the plan runs. `needs_attention`: paid, and nothing could be
 * given for it.
 */
export type PurchaseStatus = 'open' | 'granted' | 'needs_attention'

export interface NewPurchase extends SoldPeriod {
  /** The operator's invoice that it is paid by. */
  readonly invoiceId: number
  /** The buyer's. */
  readonly accountId: number
  readonly createdAt: number
}

export interface Purchase extends NewPurchase {
  readonly status: PurchaseStatus
  readonly settledAt: number | null
  /** The plan's end after it was granted. */
  readonly runsUntil: number | null
}

export type PurchaseOutcome = Pick<Purchase, 'status' | 'settledAt' | 'runsUntil'>

/** Hold the invoice (`invoices.lock`) before its purchase, and the account (`accounts.lock`) before its plan. */
export interface BillingRows {
  insert(purchase: NewPurchase): Promise<void>
  byInvoice(invoiceId: number): Promise<Purchase | null>
  settle(invoiceId: number, outcome: PurchaseOutcome): Promise<void>
  /** Newest first; `before` is the public id of an invoice. */
  list(accountId: number, page: Page): Promise<Purchase[]>
  /** Paid, and nothing given; of all accounts. */
  countNeedingAttention(): Promise<number>
  /** Ids of accounts whose plan has ended at `now`, the longest ended first. */
  ended(now: number, limit: number): Promise<number[]>
  /** Ids of accounts whose plan ends after `now`, by `until`, and whose owners were not told of that end. */
  unannounced(now: number, until: number, limit: number): Promise<number[]>
  /** Writes down that the owner is told of the plan's end at `planExpiresAt`; false when that was written already. */
  announce(accountId: number, planExpiresAt: number): Promise<boolean>
}
