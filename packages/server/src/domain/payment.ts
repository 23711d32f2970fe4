/** By how much a block's time may differ from the true one: consensus lets it run up to two hours ahead. */
export const BLOCK_TIME_SKEW_SECS = 7_200

/** Unix seconds. */
export interface WatchWindow {
  readonly createdAt: number
  /** Late payments count until then. */
  readonly watchUntil: number
}

/**
 * Whether what was paid at `time` (the block's, or the clock's for the mempool) can be a payment of the invoice. The
 * skew is granted at the start only, where the address was unknown to any payer: it shuts out nothing but what a
 * rescan finds from a time before the invoice.
 */
export function isWatched({ createdAt, watchUntil }: WatchWindow, time: number): boolean {
  return createdAt - BLOCK_TIME_SKEW_SECS <= time && time <= watchUntil
}

/**
 * Whether no block after `tip` can hold the unmined transaction any more: nExpiryHeight is the last height that may
 * (ZIP 203). 0 and null: it never expires, or nobody knows.
 */
export function isDead(expiryHeight: number | null, tip: number): boolean {
  return expiryHeight !== null && expiryHeight !== 0 && tip >= expiryHeight
}
