import { formatUnits, formatUsd } from './amounts.ts'
import { echoInStatus, type QuoteResponse } from './quote.ts'
import { findToken, ZEC } from './tokens.ts'

/** The statuses of the provider. */
export const SWAP_STATUSES = [
  'PENDING_DEPOSIT',
  'KNOWN_DEPOSIT_TX',
  'INCOMPLETE_DEPOSIT',
  'PROCESSING',
  'SUCCESS',
  'REFUNDED',
  'FAILED',
] as const

/** The state of a swap. Amounts are decimal digits in the smallest unit of the origin asset; null: not yet known. */
export interface SwapState {
  /** a status of the provider, or an unknown one for tests */
  readonly status: string
  /** ISO 8601, increases with each change */
  readonly updatedAt: string
  readonly deposited: string | null
  readonly refunded: string | null
  readonly refundReason: string | null
  readonly depositTxid: string | null
  /** txid of the payment on the sandbox chain, display order */
  readonly payoutTxid: string | null
}

/** A quote and the state of its swap. */
export interface Swap {
  readonly depositAddress: string
  readonly depositMemo: string | null
  readonly quoteResponse: QuoteResponse
  readonly state: SwapState
  /** the previous state, for out-of-order responses */
  readonly previous: SwapState | null
  /** the number of remaining status polls that return 404 */
  readonly pollsUntilVisible: number
}

/** The initial state of a swap. */
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
export function statusBody({ quoteResponse }: Swap, state: SwapState) {
  return {
    correlationId: quoteResponse.correlationId,
    quoteResponse: { ...quoteResponse, quoteRequest: echoInStatus(quoteResponse.quoteRequest) },
    status: state.status,
    updatedAt: state.updatedAt,
    swapDetails: swapDetails(quoteResponse, state),
  }
}

function swapDetails({ quote, quoteRequest }: QuoteResponse, state: SwapState) {
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
