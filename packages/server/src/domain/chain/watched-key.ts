import { DEFAULT_WATCHED_KEY_LIMIT, type Plan } from '../account/plan.ts'
import { AppError } from '../error.ts'
import { EXPIRY_SECS } from '../sale/invoice.ts'
import { MAX_SWAP_WATCH_SECS } from '../sale/swap.ts'
import { DAY_SECS, formatIso } from '../time.ts'

/** How long a key is scanned after the watch of its invoices. Exceeds the deepest supported reorganisation and the expiry of wallet transactions. */
const WATCH_MARGIN_SECS = 2 * DAY_SECS

/** For how long payments to a new invoice count at most. */
export function maxWatchSecs(lateWatchDays: number): number {
  return EXPIRY_SECS.max + lateWatchDays * DAY_SECS + MAX_SWAP_WATCH_SECS
}

/** The keys whose watch ends at this time (Unix seconds) or later are scanned at `time`. */
export function watchedSince(time: number): number {
  return time - WATCH_MARGIN_SECS
}

export function watchedKeyLimit({ watchedKeyLimit = DEFAULT_WATCHED_KEY_LIMIT }: Plan): number {
  return watchedKeyLimit
}

/** @param earliestEnd when the watch of one of the account's keys ends first, in Unix seconds; undefined: none is watched */
export function tooManyWatchedKeysError(plan: Plan, earliestEnd: number | undefined): AppError {
  const limit = watchedKeyLimit(plan)
  const wait =
    earliestEnd === undefined ? '' : `, or wait until ${formatIso(earliestEnd + WATCH_MARGIN_SECS)} at the earliest`
  return new AppError('too_many_watched_keys', {
    detail:
      `the ${plan.name} plan watches ${limit} viewing keys at a time, and earlier keys stay watched while their ` +
      `invoices can be paid: set one of them again${wait}`,
    extra: { limit, plan: plan.name },
  })
}
