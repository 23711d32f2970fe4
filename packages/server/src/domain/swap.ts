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
export const DEPOSIT_SECS = 30 * 60

/** Starts allowed for one invoice in any window. */
export const STARTS = { most: 5, windowSecs: 10 * 60 } as const

/**
 * How long an invoice waits for the coins of a swap that the provider calls done, and how long a swap may be under way
 * before a person should look: payouts take minutes (p99 about 35).
 */
export const STUCK_SECS = 60 * 60

/** How long past the provider's own deadline a swap is still asked about. */
export const WATCH_PAST_DEADLINE_SECS = 24 * 60 * 60

/** What the rules need to know of a swap. Times are Unix seconds. */
export interface SwapState {
  readonly status: SwapStatus
  /** When the provider first told of a deposit. */
  readonly depositSeenAt: number | null
  /** When it said SUCCESS. */
  readonly successAt: number | null
  /** The provider takes deposits until then. */
  readonly quoteDeadline: number
  readonly createdAt: number
}

export function isSwapStatus(word: string): word is SwapStatus {
  return (SWAP_STATUSES as readonly string[]).includes(word)
}

export function isSettled(status: SwapStatus): boolean {
  return status === 'SUCCESS' || status === 'REFUNDED' || status === 'FAILED'
}

/** Whether the provider has a deposit in hand, so that the swap can no longer be replaced. */
export function hasDeposit(status: SwapStatus): boolean {
  return status !== 'PENDING_DEPOSIT' && status !== 'REFUNDED' && status !== 'FAILED'
}

/** The state after the provider's word at `now`. */
export function told(swap: SwapState, status: SwapStatus, now: number): SwapState {
  return {
    ...swap,
    status,
    depositSeenAt: swap.depositSeenAt ?? (status === 'PENDING_DEPOSIT' ? null : now),
    successAt: status === 'SUCCESS' ? (swap.successAt ?? now) : swap.successAt,
  }
}

/** The event that a status raises; each goes out once per swap. */
export function eventOf(status: SwapStatus): SwapEventType | null {
  if (status === 'REFUNDED') return 'swap.refunded'
  if (status === 'FAILED') return 'swap.failed'
  return status === 'INCOMPLETE_DEPOSIT' ? 'swap.incomplete_deposit' : null
}

/** Whether the invoice is held open for this swap: a deposit is with the provider, or its coins are on their way. */
export function isUnderWay(swap: SwapState, now: number): boolean {
  if (swap.status === 'SUCCESS') return swap.successAt !== null && now < swap.successAt + STUCK_SECS
  return hasDeposit(swap.status)
}

/** Whether a person should look: under way, or done without our seeing the coins, for an hour. */
export function isStuck(swap: SwapState, coinsSeen: boolean, now: number): boolean {
  if (coinsSeen) return false
  if (swap.status === 'SUCCESS') return swap.successAt !== null && now >= swap.successAt + STUCK_SECS
  return swap.status === 'PROCESSING' && swap.depositSeenAt !== null && now >= swap.depositSeenAt + STUCK_SECS
}

/** Milliseconds to the next question about a swap, or null when there is nothing more to learn. */
export function nextPollMs(swap: SwapState, failures: number, now: number): number | null {
  if (isSettled(swap.status) || now > swap.quoteDeadline + WATCH_PAST_DEADLINE_SECS) return null
  const age = now - swap.createdAt
  const usual = age < 120 ? 5_000 : age < 1_800 ? 15_000 : 60_000
  return Math.min(usual * 2 ** Math.min(failures, 6), 300_000)
}

/** Unix seconds: the deadline that the buyer is shown. */
export function depositDeadline(invoiceExpiresAt: number, now: number): number {
  return Math.min(invoiceExpiresAt, now + DEPOSIT_SECS)
}

/** `amount` in the smallest unit as a decimal number of the asset, without trailing zeros. */
export function formatUnits(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
