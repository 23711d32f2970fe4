/**
 * Whether what was paid at `time` (Unix seconds; the block's, or the clock's for the mempool) can still be a payment of
 * the invoice. There is no lower bound: an address is new when it is shown, so nobody can have paid it before.
 */
export function isWatched({ watchUntil }: { readonly watchUntil: number }, time: number): boolean {
  return time <= watchUntil
}

/** The blocks above a height were taken back when the invoices up to an id existed. */
export interface Rewind {
  readonly toHeight: number
  readonly newestInvoiceId: number
}

/** Where an invoice was made. */
export interface Creation {
  readonly id: number
  /** Height of the last block recorded when the invoice was made; null: not known. */
  readonly createdHeight: number | null
}

/**
 * Whether a block that is read again can hold a payment of the invoice: it lies above the last block that was recorded
 * when the invoice was made, or above what of those blocks was left by the reorganisations since. Chain position
 * decides: clocks and block times can be wrong.
 */
export function canHoldPayment(invoice: Creation, height: number, rewinds: readonly Rewind[]): boolean {
  if (invoice.createdHeight === null) return true
  const since = rewinds.filter(({ newestInvoiceId }) => newestInvoiceId >= invoice.id)
  return height > Math.min(invoice.createdHeight, ...since.map(({ toHeight }) => toHeight))
}

/**
 * Whether no block after `tip` can hold the unmined transaction any more: nExpiryHeight is the last height that may
 * (ZIP 203). 0 and null: it never expires, or nobody knows.
 */
export function isDead(expiryHeight: number | null, tip: number): boolean {
  return expiryHeight !== null && expiryHeight !== 0 && tip >= expiryHeight
}

/** How long wallets let a transaction wait, in blocks, where NU7 is in force; before it they chose 20 or 40 (ZIP 203). */
const DEFAULT_EXPIRY_BLOCKS = 120

/** A height has 32 bits. */
const MAX_HEIGHT = 2 ** 32 - 1

/**
 * The last height that may hold an unmined transaction: any height for one that never expires; where the expiry height
 * is not known, it is taken to be the default one.
 */
export function lastMinableHeight(expiryHeight: number | null, lastSeenHeight: number): number {
  if (expiryHeight === 0) return MAX_HEIGHT
  return expiryHeight ?? lastSeenHeight + DEFAULT_EXPIRY_BLOCKS
}

/** How long complete readings of the mempool must lack a payment before it is dropped; a new block must have come too. */
export const MISSING_SECS = 120

/** Since when complete readings of one server's mempool lack an unmined payment. */
export interface Missing {
  /** Unix seconds. */
  readonly since: number
  /** Height of the last block recorded then. */
  readonly height: number
}

/** Whether a payment that is still missing has left the mempool for good. */
export function hasVanished(missing: Missing, now: number, tip: number): boolean {
  return now - missing.since >= MISSING_SECS && tip > missing.height
}
