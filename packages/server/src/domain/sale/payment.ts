import type { ShieldedPool } from '../chain/shielded-pool.ts'
import { highest, lowest } from '../extreme.ts'
import type { Zat } from '../money.ts'

/** Where a payment is: in the mempool, in a block of the chain, or dropped (its transaction expired or vanished). */
export type PaymentLocation =
  | { readonly at: 'mempool' }
  | { readonly at: 'mined'; readonly height: number }
  | { readonly at: 'dropped' }

/** A decrypted note to the invoice's address. Its key is (txid, pool, outputIndex). */
export interface Payment {
  /** 64 hex characters, in display byte order. */
  readonly txid: string
  readonly pool: ShieldedPool
  readonly outputIndex: number
  readonly valueZat: Zat
  readonly location: PaymentLocation
  /** Sequence number, in the order of recording, independent of blocks. */
  readonly seq: number
  /** The newest mempool snapshot contains the unmined transaction. */
  readonly inSnapshot: boolean
  /** nExpiryHeight of the transaction (ZIP 203): 0 never expires, null is unknown. */
  readonly expiryHeight: number | null
  /** Height of the last recorded block when the transaction was last seen, mined or unmined. */
  readonly lastSeenHeight: number
  /** A rescan has found the payment in a block, and no second server has shown it there yet. Default: false. */
  readonly awaitsWitness?: boolean
}

/** The payments of an invoice summed up, in a bounded size whatever their number. */
export interface PaymentSummary {
  /** In the mempool. */
  readonly unminedZat: Zat
  readonly minedZat: Zat
  /** Mined, with the confirmations that the invoice requires, and not awaiting a second server. */
  readonly confirmedZat: Zat
  /** The lowest block with a payment that is not confirmed yet; null: none. */
  readonly unconfirmedHeight: number | null
  /** Transaction of the latest payment that is not dropped. */
  readonly txid: string | null
  /** The dropped payments that can be mined longest: at most one of each kind of expiry. */
  readonly dropped: readonly Unmined[]
}

/** The heights that bound when an unmined transaction can still be mined. */
export type Unmined = Pick<Payment, 'expiryHeight' | 'lastSeenHeight'>

/** The last height at which a payment is confirmed. With 0 confirmations required, a mined payment is confirmed at once. */
export function confirmedThrough(confirmations: number, tip: number): number {
  return tip - Math.max(1, confirmations) + 1
}

/** The first tip at which a payment mined at `height` is confirmed. */
export function confirmsAt(confirmations: number, height: number): number {
  return height + Math.max(1, confirmations) - 1
}

/** Confirmations of a payment: the number of blocks from its own to the tip. */
export function countConfirmations(location: PaymentLocation, tip: number): number {
  return location.at === 'mined' ? Math.max(0, tip - location.height + 1) : 0
}

/**
 * Confirmations of the first payment that still lacks some: from 0 to those required.
 * @param confirmsAtHeight the first tip at which it is confirmed; null: it is not mined
 */
export function confirmationsSoFar(required: number, confirmsAtHeight: number | null, tip: number): number {
  if (confirmsAtHeight === null) return 0
  return Math.min(required, Math.max(0, required - (confirmsAtHeight - tip)))
}

/**
 * Whether a payment at `time` counts for the invoice. There is no lower bound: every address is new, so it has no earlier
 * payments.
 * @param time Unix seconds: the block's time, or the present time for a mempool payment
 */
export function isWatched({ watchUntil }: { readonly watchUntil: number }, time: number): boolean {
  return time <= watchUntil
}

/** A removal of the blocks above a height. */
export interface Rewind {
  /** Increases with each rewind. */
  readonly id: number
  readonly toHeight: number
  /** The newest invoice at that time, for invoices that do not know their newest rewind. */
  readonly newestInvoiceId: number
}

/** The chain position at which an invoice was created. */
export interface InvoiceCreation {
  readonly id: number
  /** Height of the last recorded block when the invoice was created; null: unknown. */
  readonly createdHeight: number | null
  /** The newest rewind in the same state of the chain; 0: none before. Null: unknown. */
  readonly createdRewind: number | null
}

/**
 * Whether a block that is read again can contain a payment of the invoice: it is above the last block recorded at the
 * invoice's creation, or above a height to which a later reorganisation rewound. Chain positions decide, because clocks
 * and block times can be wrong.
 */
export function canContainPayment(invoice: InvoiceCreation, height: number, rewinds: readonly Rewind[]): boolean {
  if (invoice.createdHeight === null) return true
  const since = rewinds.filter(({ id, newestInvoiceId }) =>
    invoice.createdRewind === null ? newestInvoiceId >= invoice.id : id > invoice.createdRewind,
  )
  const heights = since.map(({ toHeight }) => toHeight)
  return height > lowest(heights, invoice.createdHeight)
}

/**
 * Whether no block after `tip` can contain the unmined transaction: nExpiryHeight is the last height that may (ZIP 203).
 * @param expiryHeight 0: the transaction never expires; null: unknown
 */
export function isTransactionExpired(expiryHeight: number | null, tip: number): boolean {
  return expiryHeight !== null && expiryHeight !== 0 && tip >= expiryHeight
}

/** Blocks until wallets let a transaction expire once NU7 is in force. Before, they used 20 or 40 (ZIP 203). */
const DEFAULT_EXPIRY_BLOCKS = 120

/** Heights have 32 bits. */
const MAX_HEIGHT = 2 ** 32 - 1

/**
 * The last height that may contain an unmined transaction. The maximum height for a transaction that never expires; an
 * estimate from the default expiry when the expiry height is unknown.
 */
export function lastMinableHeight(expiryHeight: number | null, lastSeenHeight: number): number {
  if (expiryHeight === 0) return MAX_HEIGHT
  return expiryHeight ?? lastSeenHeight + DEFAULT_EXPIRY_BLOCKS
}

/** The last height above `tip` that may contain one of these unmined payments. Null when none can be mined any more. */
export function minableUntil(unmined: readonly Unmined[], tip: number): number | null {
  const heights = unmined.map(({ expiryHeight, lastSeenHeight }) => lastMinableHeight(expiryHeight, lastSeenHeight))
  const last = highest(heights, 0)
  return last > tip ? last : null
}
