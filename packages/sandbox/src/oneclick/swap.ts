import { formatUnits, formatUsd } from './amounts.ts'
import { echoInStatus, type QuoteAnswer } from './quote.ts'
import { findToken, ZEC } from './tokens.ts'

export const SWAP_STATUSES = [
  'PENDING_DEPOSIT',
  'KNOWN_DEPOSIT_TX',
  'INCOMPLETE_DEPOSIT',
  'PROCESSING',
  'SUCCESS',
  'REFUNDED',
  'FAILED',
] as const

/** Where a swap is. Amounts are digits of the origin asset's smallest unit; null is "not yet". */
export interface SwapState {
  /** one of the provider's words, or one that nobody knows */
  readonly status: string
  /** ISO 8601, later with each change */
  readonly updatedAt: string
  readonly deposited: string | null
  readonly refunded: string | null
  readonly refundReason: string | null
  readonly depositTxid: string | null
  /** of the payment on the sandbox chain, display order */
  readonly payoutTxid: string | null
}

/** A quote and what became of it. */
export interface Swap {
  readonly depositAddress: string
  readonly depositMemo: string | null
  readonly answer: QuoteAnswer
  readonly state: SwapState
  /** the state before it, for answers that come out of order */
  readonly previous: SwapState | null
  /** how many more looks find nothing, as the provider has not indexed it yet */
  readonly hiddenLooks: number
}

export function newState(updatedAt: string): SwapState {
  return {
    status: 'PENDING_DEPOSIT',
    updatedAt,
    deposited: null,
    refunded: null,
    refundReason: null,
    depositTxid: null,
    payoutTxid: null,
  }
}

/** The body of GET /v0/status. */
export function statusBody({ answer }: Swap, state: SwapState) {
  return {
    correlationId: answer.correlationId,
    quoteResponse: { ...answer, quoteRequest: echoInStatus(answer.quoteRequest) },
    status: state.status,
    updatedAt: state.updatedAt,
    swapDetails: swapDetails(answer, state),
  }
}

function swapDetails({ quote, quoteRequest }: QuoteAnswer, state: SwapState) {
  const done = state.status === 'SUCCESS'
  const origin = findToken(quoteRequest.originAsset)!
  const amountIn = done ? quote.amountIn : null
  const amountOut = done ? quote.amountOut : null
  return {
    intentHashes: [],
    nearTxHashes: [],
    ...amountFields('amountIn', amountIn, origin),
    ...amountFields('amountOut', amountOut, ZEC),
    slippage: done ? 0 : null,
    originChainTxHashes: hashes(state.depositTxid),
    destinationChainTxHashes: hashes(state.payoutTxid),
    ...amountFields('refundedAmount', state.refunded, origin),
    refundReason: state.refundReason,
    ...amountFields('depositedAmount', state.deposited, origin),
    referral: null,
  }
}

function amountFields(name: string, amount: string | null, { decimals, price }: { decimals: number; price: string }) {
  return {
    [name]: amount,
    [`${name}Formatted`]: amount === null ? null : formatUnits(BigInt(amount), decimals),
    [`${name}Usd`]: amount === null ? null : formatUsd(BigInt(amount), decimals, price),
  }
}

function hashes(hash: string | null) {
  return hash === null ? [] : [{ hash, explorerUrl: '' }]
}
