import type { WithdrawalOrder, WithdrawalStatus } from '../../../domain/payout/withdrawal.ts'
import type { Page } from '../page.ts'

/** A withdrawal order to insert. */
export interface NewWithdrawal {
  /** The invoice whose address receives the deposit. Its terms and payments are those of the order. */
  readonly invoiceId: number
  readonly publicId: string
  /** The merchant's account; the invoice is the operator's. */
  readonly accountId: number
  readonly amountZat: bigint
  readonly fiatCurrency: string
  /** Decimal: the amount that the merchant receives. */
  readonly fiatAmount: string
  /** Decimal: price of 1 ZEC in units of the currency, before the spread. */
  readonly rate: string
  /** Sealed by the vault for the row of the invoice's id. Empty: deleted with the account. */
  readonly sealedPayoutTo: Uint8Array
  readonly createdAt: number
}

/** A stored withdrawal order. */
export interface Withdrawal extends NewWithdrawal, WithdrawalOrder {
  /** The operator's proof of the payout; null before the payout. */
  readonly reference: string | null
  /** Why the payout failed, or why the operator has to decide; null when unknown. */
  readonly reason: string | null
  readonly updatedAt: number
}

/** The part of a withdrawal that a transition changes. */
export type WithdrawalUpdate = Pick<
  Withdrawal,
  'status' | 'receivedZat' | 'receivedAtCloseZat' | 'reference' | 'reason' | 'updatedAt'
>

/** Lock the invoice (`invoices.lock`) before you read a withdrawal to change it. */
export interface WithdrawalRepository {
  /** @returns the withdrawal as it is stored */
  insert(withdrawal: NewWithdrawal): Promise<Withdrawal>
  byInvoice(invoiceId: number): Promise<Withdrawal | null>
  /** Searches all accounts when `accountId` is undefined. */
  byPublicId(publicId: string, accountId?: number): Promise<Withdrawal | null>
  list(accountId: number, page: Page): Promise<Withdrawal[]>
  /** Withdrawals of all accounts, newest first. */
  listNewest(limit: number): Promise<Withdrawal[]>
  /** Number of withdrawals with this status, over all accounts, counted up to `MAX_MEASURED`. */
  countByStatus(status: WithdrawalStatus): Promise<number>
  update(invoiceId: number, update: WithdrawalUpdate): Promise<void>
  /** Withdrawals with payout details above an invoice id, ordered by it. */
  listAfter(invoiceId: number, limit: number): Promise<Withdrawal[]>
  /** Replaces the sealed bytes. False, and nothing is written, unless they are still those that were read. */
  reseal(invoiceId: number, read: Uint8Array, sealedPayoutTo: Uint8Array): Promise<boolean>
}
