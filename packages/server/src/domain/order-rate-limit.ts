import { Fault } from './error.ts'

/**
 * The limit of purchases, and of withdrawals, that one account may begin within a window. Their invoices do not count
 * towards the monthly limit, and each has an address that is watched for days.
 */
export const PACE = { most: 50, windowSecs: 3_600 } as const

/**
 * @param latest the account's latest orders, newest first, at least up to the limit
 * @throws AppError `too_many_orders` when the limit is reached
 */
export function checkPace(latest: readonly { readonly createdAt: number }[], now: number): void {
  const oldest = latest[PACE.most - 1]
  if (!oldest || oldest.createdAt + PACE.windowSecs <= now) return
  throw new Fault('too_many', 'too_many_orders', 'too many orders, try again later', {
    retryAfterSecs: oldest.createdAt + PACE.windowSecs - now,
  })
}
