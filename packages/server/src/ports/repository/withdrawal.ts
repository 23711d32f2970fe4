import type { ClosedBy, Order, WithdrawalStatus } from '../../domain/withdrawal.ts'
import type { Page } from './account.ts'

export interface NewWithdrawal {
  /** The invoice whose address takes the deposit; its terms and payments are the order's. */
  readonly invoiceId: number
  readonly publicId: string
  /** The merchant's account; the invoice is the operator's. */
  readonly accountId: number
  readonly amountZat: bigint
  readonly fiatCurrency: string
  /** Decimal: what the merchant is to get. */
  readonly fiatAmount: string
  /** Decimal: units of the currency for one whole coin, before the spread. */
  readonly rate: string
  /** Sealed by the vault for the row of the invoice's id. */
  readonly sealedPayoutTo: Uint8Array
  readonly createdAt: number
}

export interface Paying {
  /** The provider's name. */
  readonly provider: string
  /** Unix seconds of the first call. */
  readonly since: number
}

export interface Withdrawal extends NewWithdrawal, Order {
  /** The operator's or the provider's proof of the payout; null until there is one. */
  readonly reference: string | null
  /** Why it failed, or why a person has to decide; null where neither is known. */
  readonly reason: string | null
  /** When the provider is asked next; null: not, or not any more. */
  readonly payoutDueAt: number | null
  /** The provider that was called and whose outcome is not known yet; null while no provider is paying. */
  readonly paying: Paying | null
  /** Who closed the order last; null while nobody has. */
  readonly closedBy: ClosedBy | null
  readonly updatedAt: number
}

export type WithdrawalOutcome = Pick<
  Withdrawal,
  | 'status'
  | 'receivedZat'
  | 'closedAtZat'
  | 'reference'
  | 'reason'
  | 'payoutDueAt'
  | 'paying'
  | 'closedBy'
  | 'updatedAt'
>

/** Hold the invoice (`invoices.lock`) before its withdrawal. */
export interface WithdrawalRows {
  insert(withdrawal: NewWithdrawal): Promise<void>
  byInvoice(invoiceId: number): Promise<Withdrawal | null>
  /** Any account's when none is given. */
  byPublicId(publicId: string, accountId?: number): Promise<Withdrawal | null>
  /** Reads for change. */
  lock(invoiceId: number): Promise<Withdrawal | null>
  list(accountId: number, page: Page): Promise<Withdrawal[]>
  /** Of all accounts, newest first. */
  listIn(statuses: readonly WithdrawalStatus[], limit: number): Promise<Withdrawal[]>
  /** Of all accounts. */
  countIn(status: WithdrawalStatus): Promise<number>
  record(invoiceId: number, outcome: WithdrawalOutcome): Promise<void>
  /**
   * Takes orders in `payout_processing` whose payout is due, for this caller alone: others see them due at `until`.
   * Each is marked as being paid by the provider, from its first claim on.
   */
  claimPayouts(provider: string, now: number, until: number, limit: number): Promise<Withdrawal[]>
  /** Those above an invoice's id, in its order. */
  after(invoiceId: number, limit: number): Promise<Withdrawal[]>
  reseal(invoiceId: number, sealedPayoutTo: Uint8Array): Promise<void>
}
