import type { SwapEventType, SwapReport, SwapState } from '../../domain/swap.ts'

/** An asset that buyers can pay with. */
export interface SwapAsset {
  readonly assetId: string
  readonly symbol: string
  /** The origin chain's code: an open word. */
  readonly blockchain: string
  readonly decimals: number
  /** For display; 0 where the provider knows none. */
  readonly priceUsd: number
}

export interface QuoteRequest {
  readonly asset: SwapAsset
  readonly amountZat: bigint
  /** Unified address. */
  readonly recipient: string
  readonly refundTo: string
  /** Unix seconds: the buyer's. */
  readonly deadline: number
}

/** A firm offer, checked against the request and the provider's signature. */
export interface SwapOffer {
  readonly depositAddress: string
  /** Null where the origin chain needs none. */
  readonly depositMemo: string | null
  /** Smallest units of the asset. */
  readonly amountIn: bigint
  /** So much executes the swap. */
  readonly minAmountIn: bigint
  /** Decimal. */
  readonly amountInUsd: string
  /** Unix seconds: the provider takes deposits until then. */
  readonly quoteDeadline: number
  /** Seconds. */
  readonly timeEstimate: number
  /** The provider's answer as it came: the proof in a dispute. */
  readonly raw: string
}

export interface StatusAnswer extends SwapReport {
  readonly raw: string
}

/**
 * The swap provider.
 *
 * Every function throws the Fault `swap_provider_unavailable`, its cause for the log, when no answer comes that can be
 * read and trusted.
 */
export interface SwapProvider {
  /** False where there is none, and so nothing to offer to buyers. */
  readonly offered: boolean
  /** What can be swapped into the coin that invoices ask for; that coin itself left out. */
  assets(signal?: AbortSignal): Promise<SwapAsset[]>
  /** @throws Fault `swap_refused` too, the provider's words as its message */
  quote(request: QuoteRequest, signal?: AbortSignal): Promise<SwapOffer>
  /** Null while the provider does not know the deposit address: it has not indexed a new quote yet. */
  status(deposit: { address: string; memo: string | null }, signal?: AbortSignal): Promise<StatusAnswer | null>
}

export interface NewSwap extends Omit<SwapOffer, 'raw'> {
  readonly publicId: string
  readonly invoiceId: number
  readonly assetId: string
  readonly symbol: string
  readonly blockchain: string
  readonly decimals: number
  readonly refundTo: string
  /** Unix seconds: the buyer's. */
  readonly deadline: number
  readonly quoteRaw: string
  readonly createdAt: number
}

export interface Swap extends Omit<NewSwap, 'quoteRaw'>, SwapState {
  readonly id: number
  readonly invoicePublicId: string
  /** The events that have gone out. */
  readonly told: readonly SwapEventType[]
  /** Looks in a row that brought no answer. */
  readonly failures: number
  /** The last word that the provider said, known or not; empty before the first. */
  readonly word: string
  readonly needsAttention: boolean
}

/** What a look at a swap leaves behind. */
export interface SwapOutcome
  extends Pick<
    Swap,
    | 'status'
    | 'updatedAtMs'
    | 'heardAt'
    | 'depositSeenAt'
    | 'successAt'
    | 'told'
    | 'failures'
    | 'word'
    | 'needsAttention'
  > {
  /** The invoice is held open for this swap. */
  readonly holds: boolean
  /** Unix milliseconds; null: never again. */
  readonly nextLookAtMs: number | null
  /** The provider's answer; null keeps the one before. */
  readonly statusRaw: string | null
}

/** Hold the invoice (`invoices.lock`) before anything that changes its swaps or starts. */
export interface SwapRows {
  /**
   * Null, and nothing is written, when another swap has this deposit address with this memo already.
   * @param firstLookAtMs Unix milliseconds.
   */
  insert(swap: NewSwap, firstLookAtMs: number): Promise<Swap | null>
  /** The earlier swap is no longer the invoice's; it is watched on. */
  replace(id: number, at: number): Promise<void>
  byId(id: number): Promise<Swap | null>
  byIds(ids: readonly number[]): Promise<Swap[]>
  /** The swap that pays the invoice or has paid it: one that is done, else the latest with a deposit. */
  paying(invoiceId: number): Promise<Swap | null>
  record(id: number, outcome: SwapOutcome): Promise<void>
  /** Whether any swap of the invoice holds it open. */
  anyHolds(invoiceId: number): Promise<boolean>
  /** Unix milliseconds of the first look that is due, now or later. */
  nextLookAtMs(): Promise<number | null>
  /** Takes swaps that are due, the longest due first, for this caller alone: others see them due at `untilMs`. */
  claimDue(nowMs: number, untilMs: number, limit: number): Promise<Swap[]>
  /** The next look at each of the invoice's swaps that is still looked at comes no later than `atMs`. */
  hasten(invoiceId: number, atMs: number): Promise<void>
  /** Swaps that need attention and whose coins have not come since, of all accounts or one; newest first. */
  needingAttention(limit: number, accountId?: number): Promise<Swap[]>
  countNeedingAttention(): Promise<number>

  /** Times of the starts of an invoice that were counted after `since`, oldest first. */
  startsSince(invoiceId: number, since: number): Promise<number[]>
  /** Counts a start, and forgets those that no longer matter at `since`; its id, to take it back. */
  countStart(invoiceId: number, at: number, since: number): Promise<number>
  /** Takes back a start that came to nothing. */
  uncountStart(id: number): Promise<void>
}
