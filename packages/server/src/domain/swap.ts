import { Fault } from './error.ts'
import type { SwapInEvent } from './event.ts'

/** The provider's own words (1Click `GET /v0/status`). */
export const SWAP_STATUSES = [
  'PENDING_DEPOSIT',
  'KNOWN_DEPOSIT_TX',
  'INCOMPLETE_DEPOSIT',
  'PROCESSING',
  'SUCCESS',
  'REFUNDED',
  'FAILED',
] as const
export type SwapStatus = (typeof SWAP_STATUSES)[number]

export type SwapEventType = 'swap.refunded' | 'swap.failed' | 'swap.incomplete_deposit'

/** A buyer has this long to deposit, or until the invoice expires if that is earlier. */
const DEPOSIT_SECS = 30 * 60

/** Starts allowed for one invoice in any window. */
export const STARTS = { most: 5, windowSecs: 10 * 60 } as const

/**
 * How long an invoice waits for the coins of a swap that the provider calls done, and how long a swap may be under way
 * before a person should look: payouts take minutes (p99 about 35).
 */
export const STUCK_SECS = 60 * 60

/** How long past the provider's own deadline a swap is still asked about. */
const WATCH_PAST_DEADLINE_SECS = 24 * 60 * 60

/** The longest that a swap is asked about, whatever deadline the provider names. Real ones lie a few days ahead. */
export const MAX_WATCH_SECS = 14 * 24 * 60 * 60

/** How long past its end an invoice waits for a provider that does not answer whether it has seen a deposit. */
export const UNANSWERED_SECS = 120

/** What the rules need to know of a swap. Times are Unix seconds. */
export interface SwapState {
  readonly status: SwapStatus
  /** When the provider last changed something, by its own clock; Unix milliseconds. */
  readonly updatedAtMs: number
  /** When the provider last said something that we follow; null: not yet. */
  readonly heardAt: number | null
  /** When the provider first told of the whole deposit, confirmed on its chain: PROCESSING, or beyond. */
  readonly depositSeenAt: number | null
  /** When it said SUCCESS. */
  readonly successAt: number | null
  /** The provider takes deposits until then. */
  readonly quoteDeadline: number
  /** The end of the invoice that it pays. */
  readonly invoiceExpiresAt: number
  readonly createdAt: number
}

/** What the provider says of a swap. */
export interface SwapReport {
  /** Its word, known to us or not. */
  readonly word: string
  /** Unix milliseconds. */
  readonly updatedAtMs: number
}

export function isSwapStatus(word: string): word is SwapStatus {
  return (SWAP_STATUSES as readonly string[]).includes(word)
}

/** The provider's last word: nothing changes after it. */
export function isSettled(status: SwapStatus): boolean {
  return status === 'SUCCESS' || status === 'REFUNDED' || status === 'FAILED'
}

/** Whether the provider has a deposit in hand, or has used it: the swap can then no longer be replaced. */
export function hasDeposit(status: SwapStatus): boolean {
  return status !== 'PENDING_DEPOSIT' && status !== 'REFUNDED' && status !== 'FAILED'
}

/**
 * The state after the provider's answer at `now`. An answer older than one heard before, an unknown word, and whatever
 * follows a last word change nothing.
 */
export function hear<S extends SwapState>(swap: S, { word, updatedAtMs }: SwapReport, now: number): S {
  if (isSettled(swap.status) || updatedAtMs < swap.updatedAtMs || !isSwapStatus(word)) return swap
  return {
    ...swap,
    status: word,
    updatedAtMs,
    heardAt: now,
    depositSeenAt: swap.depositSeenAt ?? (word === 'PROCESSING' || word === 'SUCCESS' ? now : null),
    successAt: word === 'SUCCESS' ? now : swap.successAt,
  }
}

/** The event that a status raises; each goes out once per swap. */
export function eventOf(status: SwapStatus): SwapEventType | null {
  if (status === 'REFUNDED') return 'swap.refunded'
  if (status === 'FAILED') return 'swap.failed'
  return status === 'INCOMPLETE_DEPOSIT' ? 'swap.incomplete_deposit' : null
}

/**
 * Whether the invoice is held open for this swap: a deposit is with the provider, its coins are on their way, or the
 * provider is still to be asked whether one came before the invoice's end.
 */
export function holdsInvoice(swap: SwapState, now: number): boolean {
  if (swap.status === 'SUCCESS') return swap.successAt !== null && now < swap.successAt + STUCK_SECS
  if (hasDeposit(swap.status)) return now <= watchedUntil(swap)
  if (swap.status !== 'PENDING_DEPOSIT') return false
  const asked = swap.heardAt !== null && swap.heardAt >= swap.invoiceExpiresAt
  return !asked && now < swap.invoiceExpiresAt + UNANSWERED_SECS
}

/** Whether a person should look: under way, or done without our seeing the coins, for an hour. */
export function isStuck(swap: SwapState, coinsSeen: boolean, now: number): boolean {
  if (coinsSeen) return false
  if (swap.status === 'SUCCESS') return swap.successAt !== null && now >= swap.successAt + STUCK_SECS
  return swap.status === 'PROCESSING' && swap.depositSeenAt !== null && now >= swap.depositSeenAt + STUCK_SECS
}

/** Unix seconds: nothing is asked about the swap after that. */
export function watchedUntil({ quoteDeadline, createdAt }: SwapState): number {
  return Math.min(quoteDeadline + WATCH_PAST_DEADLINE_SECS, createdAt + MAX_WATCH_SECS)
}

/** Milliseconds to the next look at a swap, or null when there is nothing more to learn. */
export function nextLookMs(swap: SwapState, failures: number, now: number): number | null {
  if (swap.status === 'SUCCESS') {
    const coinsDueAt = (swap.successAt ?? now) + STUCK_SECS
    return now < coinsDueAt ? (coinsDueAt - now) * 1000 : null
  }
  if (isSettled(swap.status) || now > watchedUntil(swap)) return null
  const age = now - swap.createdAt
  const usual = age < 120 ? 5_000 : age < 1_800 ? 15_000 : 60_000
  const backedOff = Math.min(usual * 2 ** Math.min(failures, 6), 300_000)
  return Math.min(backedOff, ...invoiceEnds(swap, now))
}

/** Milliseconds to the moments at which a swap without a deposit lets go of its invoice. */
function invoiceEnds({ status, invoiceExpiresAt }: SwapState, now: number): number[] {
  if (status !== 'PENDING_DEPOSIT') return []
  return [invoiceExpiresAt, invoiceExpiresAt + UNANSWERED_SECS].filter(at => at > now).map(at => (at - now) * 1000)
}

/** Unix seconds: the deadline that the buyer is shown. */
export function depositDeadline(invoiceExpiresAt: number, now: number): number {
  return Math.min(invoiceExpiresAt, now + DEPOSIT_SECS)
}

/** @throws Fault `refund_to_required`, for blanks alone too */
export function requireRefundTo(refundTo: string | undefined): void {
  if (refundTo === undefined || refundTo.trim() === '')
    throw new Fault('invalid', 'refund_to_required', 'refund_to required')
}

export function notPending(): Fault {
  return new Fault('conflict', 'invoice_not_pending', 'invoice is not pending')
}

export function swapInProgress(status: SwapStatus): Fault {
  return new Fault('conflict', 'swap_in_progress', `a swap is already in progress (${status})`)
}

/** @param retryAfterSecs Until the oldest of the starts counted no longer counts. */
export function tooManyStarts(retryAfterSecs: number): Fault {
  return new Fault('too_many', 'too_many_swap_requests', 'too many swap requests, try again later', { retryAfterSecs })
}

export function unsupportedAsset(): Fault {
  return new Fault('invalid', 'unsupported_asset_id', 'unsupported asset_id')
}

/** The provider's refusal in its own words, which anyone may read. */
export function refusedByProvider(message: string): Fault {
  return new Fault('invalid', 'swap_refused', message)
}

/** @param cause What went wrong with the provider, for the log. */
export function providerUnavailable(cause: unknown): Fault {
  return new Fault('bad_gateway', 'swap_provider_unavailable', 'swap provider unavailable', { cause })
}

/** `amount` in the smallest unit as a decimal number of the asset, without trailing zeros. */
export function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** The swap as the body of an event tells of it. */
export function swapInEvent(swap: {
  readonly assetId: string
  readonly blockchain: string
  readonly amountIn: bigint
  readonly decimals: number
  readonly status: SwapStatus
}): SwapInEvent {
  return {
    asset: swap.assetId,
    blockchain: swap.blockchain,
    amountInFormatted: formatUnits(swap.amountIn, swap.decimals),
    status: swap.status,
  }
}
