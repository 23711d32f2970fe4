import { backoffMs } from '../backoff.ts'
import { AppError, invalidField } from '../error.ts'
import { lowest } from '../extreme.ts'
import { formatUnits } from '../money.ts'
import type { EventSwap } from '../notify/event.ts'
import { isPrintable } from '../text.ts'

/** The statuses of the provider (1Click `GET /v0/status`). */
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

/** Time to deposit. The deadline is earlier when the invoice expires before. */
const DEPOSIT_SECS = 30 * 60

/** Limit of swap starts for one invoice within a window. Each start that asks the provider counts, refused ones too. */
export const SWAP_START_LIMIT = { max: 5, windowSecs: 10 * 60 } as const

/**
 * Limits of swap starts of all invoices of an account, and of all accounts, within the same window. The last part is
 * kept for those who have started little: invoices without a start, and accounts with fewer than `fewStarts`.
 */
const SHARED_START_LIMITS = {
  account: { max: 200, kept: 50 },
  service: { max: 1_000, kept: 200 },
  fewStarts: 10,
} as const

/** The swap starts within the window, that of the judged one excluded. */
export interface StartCounts {
  readonly invoice: number
  readonly account: number
  readonly service: number
}

/** Whether a limit that invoices share leaves room for another start. */
export function sharedStartsAllow({ invoice, account, service }: StartCounts): boolean {
  const { account: perAccount, service: all, fewStarts } = SHARED_START_LIMITS
  const accountMax = invoice === 0 ? perAccount.max : perAccount.max - perAccount.kept
  const serviceMax = account < fewStarts ? all.max : all.max - all.kept
  return account < accountMax && service < serviceMax
}

/**
 * How long an invoice waits for the coins of a successful swap, and how long a swap may be in progress before it needs
 * attention. Payouts take minutes (p99 about 35).
 */
export const STUCK_AFTER_SECS = 60 * 60

/** No poll is planned further ahead, in milliseconds: a successful swap waits for its coins. With a margin. */
export const MAX_POLL_DELAY_MS = STUCK_AFTER_SECS * 1000 + 60_000

/** How long a swap is polled after the provider's own deadline. */
const WATCH_PAST_DEADLINE_SECS = 24 * 60 * 60

/** The maximum time for which a swap is polled, for any deadline of the provider. Usual deadlines are a few days away. */
export const MAX_SWAP_WATCH_SECS = 14 * 24 * 60 * 60

/** How long after its start a swap is still polled when each poll since the end of that time has failed. */
const MAX_UNREAD_SECS = 365 * 24 * 60 * 60

/**
 * How long a swap without a deposit is kept after its start: a month longer than a provider that answers is polled. One that is
 * still polled is kept. Until then its quote, which the provider has signed, is there for a buyer who has paid too late.
 */
export const ABANDONED_RETENTION_SECS = 45 * 24 * 60 * 60

/** How long after the deadline a deposit is expected at any moment. */
export const ABANDONED_AFTER_SECS = 10 * 60

/** How long after its expiry an invoice waits for a provider that does not report whether it received a deposit. */
export const PROVIDER_GRACE_SECS = 120

/** The state of a swap. Times are Unix seconds. */
export interface SwapState {
  readonly status: SwapStatus
  /** When the provider last updated the swap, by its own clock; Unix milliseconds. */
  readonly updatedAtMs: number
  /** When the last report was applied; null: not yet. */
  readonly lastReportAt: number | null
  /** When the provider first reported the whole deposit as confirmed on its chain: PROCESSING or SUCCESS. */
  readonly depositSeenAt: number | null
  /** When the provider reported SUCCESS. */
  readonly successAt: number | null
  /** The provider accepts deposits until then. */
  readonly quoteDeadline: number
  /** Expiry of the invoice that the swap pays. */
  readonly invoiceExpiresAt: number
  readonly createdAt: number
  /** The deadline that was shown to the buyer. */
  readonly deadline: number
}

export function isSwapStatus(text: string): text is SwapStatus {
  return (SWAP_STATUSES as readonly string[]).includes(text)
}

/** Whether the status is final. */
export function isFinalSwapStatus(status: SwapStatus): boolean {
  return status === 'SUCCESS' || status === 'REFUNDED' || status === 'FAILED'
}

/** Whether the provider has received a deposit. The swap can then no longer be replaced. */
export function hasDeposit(status: SwapStatus): boolean {
  return status !== 'PENDING_DEPOSIT' && status !== 'REFUNDED' && status !== 'FAILED'
}

/** Whether the provider may still have what was deposited for the invoice of a failed swap. @param swap the current one */
export function mayHoldDeposit(swap: {
  readonly status: SwapStatus
  readonly depositSeenAt: number | null
  readonly deposit: { readonly deposited: bigint | null; readonly refunded: bigint | null }
}): boolean {
  const { status, depositSeenAt, deposit } = swap
  // Another swap took the place of the failed one.
  if (status !== 'FAILED') return status !== 'REFUNDED'
  const { deposited, refunded } = deposit
  const isSentBack = deposited !== null && refunded !== null && refunded >= deposited
  return !isSentBack && (depositSeenAt !== null || (deposited !== null && deposited > 0n))
}

/** The event of a status. Each event is raised at most once per swap. */
export function swapEventTypeOf(status: SwapStatus): SwapEventType | null {
  if (status === 'REFUNDED') return 'swap.refunded'
  if (status === 'FAILED') return 'swap.failed'
  return status === 'INCOMPLETE_DEPOSIT' ? 'swap.incomplete_deposit' : null
}

/**
 * Whether the swap keeps its invoice open: the provider has a deposit, its coins are expected, or the provider has not
 * yet reported whether a deposit arrived before the invoice's expiry.
 */
export function keepsInvoiceOpen(swap: SwapState, now: number): boolean {
  if (swap.status === 'SUCCESS') return swap.successAt !== null && now < swap.successAt + STUCK_AFTER_SECS
  if (hasDeposit(swap.status)) return now <= polledUntil(swap)
  if (swap.status !== 'PENDING_DEPOSIT') return false
  const reportedAfterExpiry = swap.lastReportAt !== null && swap.lastReportAt >= swap.invoiceExpiresAt
  return !reportedAfterExpiry && now < swap.invoiceExpiresAt + PROVIDER_GRACE_SECS
}

/** Whether the swap needs attention: in progress, or successful without received coins, for an hour. */
export function isStuck(swap: SwapState, coinsSeen: boolean, now: number): boolean {
  if (coinsSeen) return false
  if (swap.status === 'SUCCESS') return swap.successAt !== null && now >= swap.successAt + STUCK_AFTER_SECS
  return swap.status === 'PROCESSING' && swap.depositSeenAt !== null && now >= swap.depositSeenAt + STUCK_AFTER_SECS
}

/** Unix seconds: the end of polling. The last poll is one that was answered, perhaps later. */
export function polledUntil({ quoteDeadline, createdAt }: SwapState): number {
  return Math.min(quoteDeadline + WATCH_PAST_DEADLINE_SECS, createdAt + MAX_SWAP_WATCH_SECS)
}

/** Milliseconds to the next poll, or null when no further poll is needed. */
export function nextPollMs(swap: SwapState, failures: number, now: number): number | null {
  if (swap.status === 'SUCCESS') {
    const coinsDueAt = (swap.successAt ?? now) + STUCK_AFTER_SECS
    return now < coinsDueAt ? Math.min(coinsDueAt - now, STUCK_AFTER_SECS) * 1000 : null
  }
  if (isFinalSwapStatus(swap.status)) return null
  const isUnread = failures > 0 && now <= swap.createdAt + MAX_UNREAD_SECS
  if (now > polledUntil(swap)) return isUnread ? abandonedIntervalMs(swap, now) : null
  const interval = isAbandoned(swap, now) ? abandonedIntervalMs(swap, now) : intervalMs(now - swap.createdAt)
  const backedOff = backoffMs(failures + 1, { firstMs: interval, maxMs: Math.max(interval, 300_000) })
  return lowest(invoiceDeadlinesMs(swap, now), backedOff)
}

function intervalMs(ageSecs: number): number {
  return ageSecs < 120 ? 5_000 : ageSecs < 1_800 ? 15_000 : 60_000
}

/** Whether the buyer has let the deadline pass. A later deposit is still found, the later the more slowly. */
function isAbandoned({ status, deadline }: SwapState, now: number): boolean {
  return status === 'PENDING_DEPOSIT' && now >= deadline + ABANDONED_AFTER_SECS
}

/** As long as the deadline has passed, at most an hour. */
function abandonedIntervalMs({ deadline }: SwapState, now: number): number {
  return Math.min(now - deadline, STUCK_AFTER_SECS) * 1000
}

/** Milliseconds to the times at which a swap without a deposit may stop keeping its invoice open. */
function invoiceDeadlinesMs({ status, invoiceExpiresAt }: SwapState, now: number): number[] {
  if (status !== 'PENDING_DEPOSIT') return []
  return [invoiceExpiresAt, invoiceExpiresAt + PROVIDER_GRACE_SECS].filter(at => at > now).map(at => (at - now) * 1000)
}

/** The deposit deadline that is shown to the buyer, in Unix seconds. */
export function depositDeadline(invoiceExpiresAt: number, now: number): number {
  return Math.min(invoiceExpiresAt, now + DEPOSIT_SECS)
}

export const MAX_REFUND_TO_CHARS = 500

/** @throws AppError `refund_to_required` when it is undefined or blank; `invalid_refund_to` */
export function requireRefundTo(refundTo: string | undefined): void {
  if (refundTo === undefined || refundTo.trim() === '') throw new AppError('refund_to_required')
  if (!isPrintable(refundTo)) throw invalidField('refund_to', 'an address without invisible characters')
}

/** The swap's part of an event body. */
export function eventSwap(swap: {
  readonly assetId: string
  readonly blockchain: string
  readonly amountIn: bigint
  readonly decimals: number
  readonly status: SwapStatus
}): EventSwap {
  return {
    asset: swap.assetId,
    blockchain: swap.blockchain,
    amountInFormatted: formatUnits(swap.amountIn, swap.decimals),
    status: swap.status,
  }
}
