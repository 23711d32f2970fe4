import type { ProviderReport } from '../domain/sale/swap-report.ts'

/** An asset that buyers can swap from. */
export interface SwapAsset {
  readonly assetId: string
  readonly symbol: string
  /** Code of the origin chain, as the provider names it. */
  readonly blockchain: string
  readonly decimals: number
  /** For display; 0 when the provider gives no price. */
  readonly priceUsd: number
  /** Units for one ZEC, by the listed prices; for display. 0 when the provider gives no price of one of both. */
  readonly perZec: number
  /** The contract of a token, as its chain writes it. Null: the chain's own coin, or not given. */
  readonly contractAddress: string | null
}

/** The terms of a swap to quote: the recipient receives exactly `amountZat`. */
export interface QuoteRequest {
  readonly asset: SwapAsset
  readonly amountZat: bigint
  /** Unified address. */
  readonly recipient: string
  readonly refundTo: string
  /** Unix seconds: the deadline shown to the buyer. */
  readonly deadline: number
}

/** A firm quote, verified against the request and the provider's signature. */
export interface SwapOffer {
  readonly depositAddress: string
  /** Null when the origin chain needs no memo. */
  readonly depositMemo: string | null
  /** Smallest units of the asset. */
  readonly amountIn: bigint
  /** The smallest deposit that executes the swap. */
  readonly minAmountIn: bigint
  /** Decimal. */
  readonly amountInUsd: string
  /** Value in USD that the recipient gets, decimal; null: not given. */
  readonly amountOutUsd: string | null
  /** Unix seconds: the provider accepts deposits until then. */
  readonly quoteDeadline: number
  /** Seconds. */
  readonly timeEstimate: number
  /** The provider's response, unchanged: the proof in a dispute. */
  readonly raw: string
}

/** The provider's report of a deposit, in the asset's smallest units. Null: not reported. */
export interface DepositReport {
  readonly deposited: bigint | null
  readonly refunded: bigint | null
  /** The provider's word, such as `PARTIAL_DEPOSIT`. */
  readonly refundReason: string | null
  /** The newest transaction of the deposit on its chain. */
  readonly txid: string | null
}

/** A verified status response; `raw` is its body, unchanged. */
export interface SwapStatusResponse extends ProviderReport {
  readonly raw: string
  readonly deposit?: DepositReport
}

/** The provider was not asked, since it has asked for fewer requests. The cause of `swap_provider_unavailable`. */
export class SwapProviderPaused extends Error {
  override readonly name = 'SwapProviderPaused'
}

/**
 * The swap provider.
 *
 * Every function throws the AppError `swap_provider_unavailable`, with the cause for the log, when it gets no valid and
 * verified response.
 */
export interface SwapProvider {
  /** False when no provider is configured: the service then offers no swaps. */
  readonly enabled: boolean
  /** The assets that can be swapped to ZEC, without ZEC itself. */
  assets(signal?: AbortSignal): Promise<SwapAsset[]>
  /** @throws AppError `swap_refused`, with the provider's message, when the provider refuses the request */
  quote(request: QuoteRequest, signal?: AbortSignal): Promise<SwapOffer>
  /** Null while the provider does not know the deposit address, because it has not indexed a new quote yet. */
  status(deposit: { address: string; memo: string | null }, signal?: AbortSignal): Promise<SwapStatusResponse | null>
}
