import { AppError } from './error.ts'

/**
 * The limit of purchases, and of withdrawals, that one account may begin within a window. Their invoices do not count
 * towards the monthly limit, and each has an address that is watched for days.
 */
export const ORDER_RATE_LIMIT = { max: 50, windowSecs: 3_600 } as const

/**
 * @param latest the account's latest orders, newest first, at least up to the limit
 * @throws AppError `too_many_orders` when the limit is reached
 */
export function checkOrderRateLimit(latest: readonly { readonly createdAt: number }[], now: number): void {
  const oldest = latest[ORDER_RATE_LIMIT.max - 1]
  if (!oldest || oldest.createdAt + ORDER_RATE_LIMIT.windowSecs <= now) return
  throw new AppError('too_many', 'too_many_orders', 'too many orders, try again later', {
    retryAfterSecs: oldest.createdAt + ORDER_RATE_LIMIT.windowSecs - now,
  })
}
