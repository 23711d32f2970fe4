import type { TimeBounds } from '../chain/clock-agreement.ts'
import { isFinalSwapStatus, isSwapStatus, type SwapState } from './swap.ts'

/** How far the provider's clock may differ from the true time. */
const MAX_PROVIDER_AHEAD_MS = 5 * 60 * 1000

/** How long a report with a time far ahead can make later ones older. */
const FAR_AHEAD_COUNTS_SECS = 10 * 60

/** A provider's report about a swap. */
export interface ProviderReport {
  /** The provider's status, known or unknown. */
  readonly status: string
  /** Unix milliseconds. */
  readonly updatedAtMs: number
}

/** The state without times after `latest`, which a wrong clock has recorded. */
export function withoutFutureTimes<S extends SwapState>(swap: S, latest: number): S {
  const atMost = (time: number | null) => (time === null ? null : Math.min(time, latest))
  const { lastReportAt } = swap
  return {
    ...swap,
    lastReportAt: lastReportAt !== null && lastReportAt > latest ? null : lastReportAt,
    depositSeenAt: atMost(swap.depositSeenAt),
    successAt: atMost(swap.successAt),
  }
}

/**
 * Whether a time of the provider is minutes after `latest`, so that its clock is wrong.
 *
 * @param latest Unix seconds: the clock or the newest block, whichever is later
 */
export function isFarAhead(updatedAtMs: number, latest: number): boolean {
  return updatedAtMs > latest * 1000 + MAX_PROVIDER_AHEAD_MS
}

/**
 * Whether the last applied report had a time far ahead.
 * @param lag how far the clock of `lastReportAt` is behind `latest`, in seconds
 */
export function lastIsFarAhead({ updatedAtMs, lastReportAt }: SwapState, latest: number, lag = 0): boolean {
  return isFarAhead(updatedAtMs, lastReportAt === null ? latest : lastReportAt + lag)
}

/**
 * Whether a report is older than the last applied one. Reports that are both far ahead have the same wrong clock. Any
 * other report is compared with the time at which the one far ahead was applied. Neither comparison is certain, so both
 * end after ten minutes: an old report that counts is replaced by the next poll, but one that is refused without limit
 * freezes the swap.
 *
 * @param latest Unix seconds: the clock or the newest block, whichever is later
 * @param lag see `lastIsFarAhead`
 */
function isOlderReport(swap: SwapState, updatedAtMs: number, latest: number, lag: number): boolean {
  if (updatedAtMs >= swap.updatedAtMs) return false
  if (!lastIsFarAhead(swap, latest, lag)) return true
  if (swap.lastReportAt === null) return false
  const appliedAt = swap.lastReportAt + lag
  if (latest >= appliedAt + FAR_AHEAD_COUNTS_SECS) return false
  return isFarAhead(updatedAtMs, latest) || updatedAtMs < appliedAt * 1000 - MAX_PROVIDER_AHEAD_MS
}

/**
 * The state after a report of the provider. The time is uncertain, between `earliest` and `latest`; the bound that keeps the
 * invoice open longer counts. Reports that are older than the last one, have an unknown status, or follow a final status
 * change nothing.
 *
 * @param newest Unix seconds: the clock or the newest block, whichever is later
 */
export function applyProviderReport<S extends SwapState>(
  swap: S,
  { status, updatedAtMs }: ProviderReport,
  { earliest, latest }: TimeBounds,
  newest = latest,
): S {
  // `lastReportAt` is by the earliest time too.
  const isOlder = isOlderReport(swap, updatedAtMs, newest, newest - earliest)
  if (isFinalSwapStatus(swap.status) || isOlder || !isSwapStatus(status)) return swap
  return {
    ...swap,
    status,
    updatedAtMs,
    lastReportAt: earliest,
    depositSeenAt: swap.depositSeenAt ?? (status === 'PROCESSING' || status === 'SUCCESS' ? latest : null),
    successAt: status === 'SUCCESS' ? latest : swap.successAt,
  }
}
