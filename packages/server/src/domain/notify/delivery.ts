import { DAY_SECS } from '../time.ts'

/** With this number of open deliveries, an account's test events and resends are refused. */
export const MAX_OPEN_DELIVERIES = 1_000

/** Limit of concurrent deliveries to one account. It starts low and grows with successful deliveries. */
export const CONCURRENCY_LIMIT = { initial: 2, max: 32 } as const

/** The account's concurrency limit after an attempt: plus one after a success, half after a failure, at least 1. */
export function nextConcurrencyLimit(limit: number, succeeded: boolean): number {
  return succeeded ? Math.min(CONCURRENCY_LIMIT.max, limit + 1) : Math.max(1, Math.floor(limit / 2))
}

/** Divides `total` slots among accounts, in their order. No account gets more than its limit. */
export function fairShares(limits: readonly number[], total: number): number[] {
  const fair = Math.max(1, Math.floor(total / Math.max(1, limits.length)))
  let left = total
  return limits.map(limit => {
    const share = Math.min(limit, fair, left)
    left -= share
    return share
  })
}

/** Retention of deliveries and their attempts. */
export const DELIVERY_RETENTION_SECS = 30 * DAY_SECS

/** Bytes of a response body that are kept in the delivery log. */
export const RESPONSE_BYTES_KEPT = 4_096

/** Bytes of it that a page shows. */
export const RESPONSE_BYTES_SHOWN = 2_048

/** The beginning of a response, without a part of a character at its end, and whether there is more. */
export function beginningOf(response: string): { readonly text: string; readonly isCut: boolean } {
  const bytes = Buffer.from(response)
  if (bytes.length <= RESPONSE_BYTES_SHOWN) return { text: response, isCut: false }
  return { text: new TextDecoder().decode(bytes.subarray(0, RESPONSE_BYTES_SHOWN), { stream: true }), isCut: true }
}
