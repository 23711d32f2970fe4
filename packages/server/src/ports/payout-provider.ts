import type { Zat } from '../domain/money.ts'

/** What a provider needs to know of an order whose deposit is confirmed. */
export interface PayoutOrder {
  /** The same for every call about this order: what makes paying it idempotent. */
  readonly id: string
  readonly amountZat: Zat
  readonly fiatCurrency: string
  /** Decimal: what the merchant is to get. */
  readonly fiatAmount: string
  /** Where to, in the merchant's words. */
  readonly payoutTo: string
}

export type Payout =
  /** An operator does it and says how it ended, by command; the provider is not asked again. */
  | { readonly state: 'by_hand' }
  /** Under way: ask again after so many seconds. */
  | { readonly state: 'processing'; readonly askAgainSecs: number }
  /** With the provider's proof. */
  | { readonly state: 'paid'; readonly reference: string }
  | { readonly state: 'failed'; readonly reason: string }

/** Who pays merchants out. */
export interface PayoutProvider {
  /** For the log. */
  readonly name: string
  /**
   * Pays the order out, or tells how that stands. Called again until it has ended, after a crash too: a call with an
   * order's id that was seen before must never pay twice. What it throws counts as not known, and is asked again.
   *
   * From right before the first call until `paid`, `failed` or `by_hand`, the operator can close the order only with an
   * override.
   */
  pay(order: PayoutOrder): Promise<Payout>
}
