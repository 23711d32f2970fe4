import type { SoldPeriod } from '../../../domain/account/plan.ts'
import type { Page } from '../page.ts'

/**
 * - `open`: not paid.
 * - `granted`: paid, and the plan was assigned.
 * - `needs_attention`: paid, but no plan could be assigned for it.
 */
export type PurchaseStatus = 'open' | 'granted' | 'needs_attention'

/** A plan period that an account buys, with the invoice that pays for it. */
export interface NewPurchase extends SoldPeriod {
  /** The operator's invoice that the buyer pays. */
  readonly invoiceId: number
  /** The buyer's account. */
  readonly accountId: number
  readonly createdAt: number
}

/** A recorded purchase of a plan period. */
export interface Purchase extends NewPurchase {
  readonly status: PurchaseStatus
  /** When the payment was processed, whether or not a plan was assigned; null while open. */
  readonly decidedAt: number | null
  /** The end of the plan that this purchase granted. */
  readonly grantedUntil: number | null
}

/** The part of a purchase that its payment changes. */
export type PurchaseUpdate = Pick<Purchase, 'status' | 'decidedAt' | 'grantedUntil'>

/** Lock the invoice (`invoices.lock`) before its purchase, and the account (`accounts.lock`) before its plan. */
export interface BillingRepository {
  insert(purchase: NewPurchase): Promise<void>
  byInvoice(invoiceId: number): Promise<Purchase | null>
  update(invoiceId: number, outcome: PurchaseUpdate): Promise<void>
  /** Newest first. The page's `before` is the public id of an invoice. */
  list(accountId: number, page: Page): Promise<Purchase[]>
  /** Number of purchases in `needs_attention`, over all accounts, counted up to `MAX_MEASURED`. */
  countNeedingAttention(): Promise<number>
  /** Ids of accounts whose plan has ended at `now`, earliest end first. */
  accountsWithEndedPlan(now: number, limit: number): Promise<number[]>
  /** Ids of accounts whose plan ends after `now` and by `until`, and that have had no reminder of that end. */
  accountsToRemind(now: number, until: number, limit: number): Promise<number[]>
  /** Records a reminder of the plan's end at `planExpiresAt`. False when one is recorded already. */
  recordReminder(accountId: number, planExpiresAt: number): Promise<boolean>
}
