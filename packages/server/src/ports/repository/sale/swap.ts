import type { SwapEventType, SwapState } from '../../../domain/sale/swap.ts'
import type { DepositReport, SwapOffer } from '../../swap-provider.ts'

/** A swap to insert: the verified offer and its asset. */
export interface NewSwap extends Omit<SwapOffer, 'raw'> {
  readonly publicId: string
  readonly invoiceId: number
  readonly assetId: string
  readonly symbol: string
  readonly blockchain: string
  readonly decimals: number
  /** See `SwapAsset`. */
  readonly contractAddress: string | null
  readonly refundTo: string
  /** Unix seconds: the deadline shown to the buyer. */
  readonly deadline: number
  readonly quoteRaw: string
  readonly createdAt: number
}

/** A stored swap with its state. */
export interface Swap extends Omit<NewSwap, 'quoteRaw'>, SwapState {
  readonly id: number
  readonly invoicePublicId: string
  /** The events that were raised already. */
  readonly sentEvents: readonly SwapEventType[]
  /** Consecutive polls without a valid response. */
  readonly failedPolls: number
  /** The last status as the provider reported it, known or unknown; empty before the first report. */
  readonly providerStatus: string
  readonly needsAttention: boolean
  /** The deposit by the last applied report. */
  readonly deposit: DepositReport
}

/** The part of a swap that a poll changes. */
export interface SwapUpdate
  extends Pick<
    Swap,
    | 'status'
    | 'updatedAtMs'
    | 'lastReportAt'
    | 'depositSeenAt'
    | 'successAt'
    | 'sentEvents'
    | 'failedPolls'
    | 'providerStatus'
    | 'needsAttention'
    | 'deposit'
  > {
  /** This swap keeps its invoice open. */
  readonly keepsInvoiceOpen: boolean
  /** Unix milliseconds; null ends the polling. */
  readonly nextPollAtMs: number | null
  /** The provider's response; null keeps the stored one. */
  readonly statusRaw: string | null
}

/** A swap to delete. */
export interface AbandonedSwap {
  readonly id: number
  readonly invoiceId: number
}

/** A counted start of a swap. */
export interface SwapStart {
  readonly id: number
  readonly invoiceId: number
  /** Unix seconds. */
  readonly at: number
}

/** Lock the invoice (`invoices.lock`) before any change of its swaps or starts. */
export interface SwapRepository {
  /**
   * Returns null, without a write, when another swap already has this deposit address and memo.
   * @param firstPollAtMs Unix milliseconds
   */
  insert(swap: NewSwap, firstPollAtMs: number): Promise<Swap | null>
  /** Marks a swap as no longer the invoice's current one. It is still polled. */
  replace(id: number, at: number): Promise<void>
  byId(id: number): Promise<Swap | null>
  byPublicId(publicId: string): Promise<Swap | null>
  byIds(ids: readonly number[]): Promise<Swap[]>
  /** The swap that pays the invoice or has paid it: a successful one, else the latest with a deposit. */
  payingSwap(invoiceId: number): Promise<Swap | null>
  update(id: number, update: SwapUpdate): Promise<void>
  /** Whether any swap keeps the invoice open. */
  anyKeepsInvoiceOpen(invoiceId: number): Promise<boolean>
  /** When the earliest poll is due, in Unix milliseconds. Null when no swap is polled any more. */
  nextPollAtMs(): Promise<number | null>
  /** When the latest poll is due, in Unix milliseconds. Null when no swap is polled any more. */
  latestPollAtMs(): Promise<number | null>
  /**
   * Claims swaps that are due for a poll: first current ones and those with a deposit, then replaced ones and those whose
   * deadline has passed, which get an eighth in any case. Accounts take turns; of each the longest due first. Other callers see them as due again at `untilMs`. A poll
   * further ahead than `MAX_POLL_DELAY_MS` is due too: a clock that was ahead has planned it.
   */
  claimDue(nowMs: number, untilMs: number, limit: number, only?: readonly number[]): Promise<Swap[]>
  /** The swaps that `claimDue` would claim. */
  listDue(nowMs: number, limit: number): Promise<Swap[]>
  /** Moves the next poll of each of the invoice's polled swaps to `atMs` at the latest. */
  pollNoLaterThan(invoiceId: number, atMs: number): Promise<void>
  /** Swaps that need attention and whose coins have not arrived since, of all accounts or of one; newest first. */
  needingAttention(limit: number, accountId?: number): Promise<Swap[]>
  /** The number of those swaps, of all accounts, up to `MAX_MEASURED`. */
  countNeedingAttention(): Promise<number>

  /**
   * Swaps created at `before` or earlier that are no longer polled and had no deposit by any report, oldest first. Those
   * of invoices that are still open are left out, and the first `skip`.
   */
  listAbandoned(before: number, limit: number, skip: number): Promise<AbandonedSwap[]>
  /**
   * Deletes those that are still abandoned. The newest other swap of an invoice becomes its current one. Lock the invoices
   * first.
   */
  deleteAbandoned(swaps: readonly AbandonedSwap[]): Promise<void>

  /** Times of an invoice's counted swap starts after `since`, oldest first. */
  startsSince(invoiceId: number, since: number): Promise<number[]>
  /** The counted swap starts after `since` of an account, and of all. */
  countStarts(accountId: number, since: number): Promise<{ readonly account: number; readonly service: number }>
  /** Deletes up to `limit` starts that are not after `before`, and returns their number. */
  prune(before: number, limit: number, skip?: number): Promise<number>
  /** Counts a swap start and deletes those up to `since`. @returns it, for removing it again */
  recordStart(invoiceId: number, at: number, since: number): Promise<SwapStart>
  /** Removes a counted start that led to no swap, unless it is deleted already. */
  removeStart(start: SwapStart): Promise<void>
}
