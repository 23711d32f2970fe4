import { AppError } from './error.ts'

/**
 * The limit of purchases, and of withdrawals, that one account may begin within a window. Their invoices do not count
 * towards the monthly limit, and each has an address that is watched for days. A browser's session in which a code was
 * entered recently may begin some more, which an old one cannot spend.
 */
export const ORDER_RATE_LIMIT = { max: 50, maxWithCode: 60, windowSecs: 3_600 } as const

/**
 * @param latest the account's latest orders, newest first, at least up to the higher limit
 * @param hasCode whether a code was entered recently in this browser
 * @throws AppError `too_many_orders` when the limit is reached
 */
export function checkOrderRateLimit(
  latest: readonly { readonly createdAt: number }[],
  now: number,
  hasCode: boolean,
): void {
  const oldest = latest[(hasCode ? ORDER_RATE_LIMIT.maxWithCode : ORDER_RATE_LIMIT.max) - 1]
  if (!oldest || oldest.createdAt + ORDER_RATE_LIMIT.windowSecs <= now) return
  throw new AppError('too_many_orders', {
    retryAfterSecs: oldest.createdAt + ORDER_RATE_LIMIT.windowSecs - now,
  })
}
