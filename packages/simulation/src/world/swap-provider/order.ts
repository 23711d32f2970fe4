import type { SignedQuote } from '@zatgate/server/adapters/oneclick/signature'
import type { ProviderAsset } from './asset.ts'

/** A status of an order, and when the provider set it. */
export interface OrderState {
  /** A word of the documentation, or another one. */
  readonly status: string
  /** Unix milliseconds by the provider's clock; greater than in every earlier state. */
  readonly updatedAtMs: number
}

/** A quote that the provider has made, and what has become of it. */
export interface Order {
  readonly asset: ProviderAsset
  readonly depositAddress: string
  readonly depositMemo: string | null
  /** The address that receives the coins. */
  readonly recipient: string
  readonly amountZat: bigint
  readonly amountIn: bigint
  readonly minAmountIn: bigint
  readonly refundTo: string
  /** Unix milliseconds: the deadline that the service asked for. */
  readonly deadlineMs: number
  /** Unix milliseconds: deposits are accepted until then. */
  readonly quoteDeadlineMs: number
  /** True Unix milliseconds. */
  readonly quotedAtMs: number
  readonly signed: SignedQuote
  /** All states, the present one last. */
  readonly states: OrderState[]
  /** Smallest units that buyers have sent. */
  deposited: bigint
  /** Whether the recipient was paid. */
  delivered: boolean
  /** Unix milliseconds: before, the provider does not know its own order. */
  hiddenUntilMs: number
  /** Number of requests for the status. */
  statusRequests: number
}

/** A response to a request for a quote. */
export interface QuoteServing {
  readonly order: Order
  /** Age of the quote when it was sent. */
  readonly ageMs: number
  /** False when a check of the service must refuse it. */
  readonly valid: boolean
}

/** A response to a request for the status. */
export interface StatusAnswer {
  /** The order of the response, which need not be the one asked for. */
  readonly order: Order
  readonly state: OrderState
  /** The time of the state in the response: later than in the state when the provider's clock is wrong. */
  readonly updatedAtMs: number
  /** True Unix milliseconds. */
  readonly atMs: number
}

const FINAL = new Set(['SUCCESS', 'REFUNDED', 'FAILED'])

export function stateOf(order: Order): OrderState {
  return order.states.at(-1)!
}

/** Whether the provider is done with the order. */
export function isDone(order: Order): boolean {
  return FINAL.has(stateOf(order).status)
}

/** Whether the provider has a deposit that it has neither delivered nor returned. */
export function isInProgress(order: Order): boolean {
  return stateOf(order).status !== 'PENDING_DEPOSIT' && !isDone(order)
}
