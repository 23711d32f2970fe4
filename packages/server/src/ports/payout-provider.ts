import type { Zat } from '../domain/money.ts'

/** A withdrawal order with a confirmed deposit. */
export interface PayoutRequest {
  /** The same in every call for this order: the provider's idempotency key. */
  readonly id: string
  readonly amountZat: Zat
  readonly fiatCurrency: string
  /** Decimal: the amount that the merchant receives. */
  readonly fiatAmount: string
  /** Destination of the payout, as the merchant entered it. */
  readonly payoutTo: string
}

/** The state of a payout, as a provider reports it. */
export type PayoutResult =
  /** The operator pays manually and records the result by command. The provider is not called again. */
  | { readonly state: 'by_hand' }
  /** In progress: call again after this number of seconds. */
  | { readonly state: 'processing'; readonly pollAfterSecs: number }
  /** Paid. `reference` is the provider's proof. */
  | { readonly state: 'paid'; readonly reference: string }
  | { readonly state: 'failed'; readonly reason: string }

/** Pays merchants for confirmed withdrawals. */
export interface PayoutProvider {
  /** For the log. */
  readonly name: string
  /**
   * Pays the order out, or returns the state of the payout. It is called until the payout has ended, also after a crash,
   * so it must be idempotent by the order's id: it must never pay twice. After an exception the state is unknown and the
   * call is repeated.
   *
   * From right before the first call until `paid`, `failed` or `by_hand`, the operator can close the order only with an
   * override.
   */
  pay(order: PayoutRequest): Promise<PayoutResult>
}
