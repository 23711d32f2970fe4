import { Fault } from './error.ts'

/**
 * Purchases, and withdrawals, that one account may begin within a window: their invoices count in no month, and each
 * has an address that is watched for days.
 */
export const PACE = { most: 50, windowSecs: 3_600 } as const

/**
 * @param latest what the account has begun, newest first, PACE.most at the most
 * @throws Fault `too_many_orders` when one more is too many
 */
export function checkPace(latest: readonly { readonly createdAt: number }[], now: number): void {
  const oldest = latest[PACE.most - 1]
  if (!oldest || oldest.createdAt + PACE.windowSecs <= now) return
  throw new Fault('too_many', 'too_many_orders', 'too many orders, try again later', {
    retryAfterSecs: oldest.createdAt + PACE.windowSecs - now,
  })
}
