import type { Zat } from './money.ts'
import { sumZat } from './money.ts'
import { lastMinableHeight } from './payment.ts'
import type { Pool } from './shielded-pool.ts'

export const INVOICE_STATUSES = ['pending', 'detected', 'paid', 'underpaid', 'expired'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

export const EXPIRY_SECS = { least: 60, most: 86_400, usual: 900 } as const

/** What the invoice asks for, fixed when it is made. */
export interface Terms {
  readonly amountZat: Zat
  /** Unix seconds. */
  readonly expiresAt: number
  /** Unix seconds: late payments count until then. */
  readonly watchUntil: number
  /** Blocks, the payment's own included, before a payment is confirmed; 0 counts the mempool. */
  readonly confirmations: number
}

/** Where a payment is: seen and unmined, in a block of the chain, or gone (its transaction expired or vanished). */
export type Place =
  | { readonly at: 'mempool' }
  | { readonly at: 'mined'; readonly height: number }
  | { readonly at: 'dropped' }

/** A decrypted note to the invoice's address; (txid, pool, outputIndex) is its key. */
export interface Payment {
  /** Display byte order, 64 hex characters. */
  readonly txid: string
  readonly pool: Pool
  readonly outputIndex: number
  readonly valueZat: Zat
  readonly place: Place
  /** Increases with each payment recorded, whatever its block: the latest is the one recorded last. */
  readonly order: number
  /** The newest complete reading of the mempool held the unmined transaction. */
  readonly inSnapshot: boolean
  /** nExpiryHeight of the transaction: 0 never expires, null is not known. */
  readonly expiryHeight: number | null
  /** Height of the last block recorded when the transaction was last seen, in a block or not. */
  readonly lastSeenHeight: number
}

/** What is known of the world when an invoice is assessed. */
export interface View {
  /** Height of the last block read. */
  readonly tip: number
  /** Unix seconds: chain and mempool were both seen as they were at this moment. Never ahead of the clock; 0: not yet. */
  readonly seenThrough: number
  /** A swap of this invoice has a deposit that the provider has seen and not yet settled. */
  readonly swapUnderWay: boolean
}

export interface Assessment {
  readonly status: InvoiceStatus
  readonly receivedZat: Zat
  readonly overpaidZat: Zat
  /** The latest counted payment's. */
  readonly txid: string | null
  /** Paid, but no longer by what lies in the chain: a reorganisation took payments back. */
  readonly needsAttention: boolean
  /**
   * A payment that has left the mempool could still be mined up to this height, so the invoice does not close before
   * (or before the end of its late window). Null: it may close at any height.
   */
  readonly openUntilHeight: number | null
}

/**
 * The status of an invoice: a function of what it asks, what it was judged before, its payments and the view.
 *
 * `before` matters in two ways only: `paid` is final, and an invoice once closed (`expired`, `underpaid`) is never
 * open again. Late money moves it to `paid` when the full amount is confirmed; until then a late part payment makes
 * `expired` `underpaid`, and a full amount not yet confirmed leaves either as it is.
 *
 * Without confirmations asked for, an unmined payment counts as confirmed only while the newest complete reading of the
 * mempool holds it: money that was evicted must not add up to a final `paid`.
 */
export function assess(terms: Terms, before: InvoiceStatus, payments: readonly Payment[], view: View): Assessment {
  const live = payments.filter(payment => payment.place.at !== 'dropped')
  const receivedZat = sumOf(live)
  const confirmedZat = sumOf(live.filter(payment => isConfirmed(payment, terms, view)))
  const keptZat = terms.confirmations === 0 ? receivedZat : sumOf(live.filter(({ place }) => place.at === 'mined'))
  const openUntilHeight = heldOpenUntil(payments, terms, view)
  const due = view.seenThrough >= terms.expiresAt && !view.swapUnderWay && openUntilHeight === null
  const status = statusOf(terms, before, receivedZat, confirmedZat, due)
  return {
    status,
    receivedZat,
    overpaidZat: overpaid(terms.amountZat, receivedZat),
    txid: latest(live)?.txid ?? null,
    needsAttention: status === 'paid' && keptZat < terms.amountZat,
    openUntilHeight,
  }
}

export function overpaid(amountZat: Zat, receivedZat: Zat): Zat {
  return receivedZat > amountZat ? receivedZat - amountZat : 0n
}

/** Blocks a mined payment has on it, its own included. */
export function confirmationsOf(place: Place, tip: number): number {
  return place.at === 'mined' ? Math.max(0, tip - place.height + 1) : 0
}

export function isClosed(status: InvoiceStatus): boolean {
  return status === 'expired' || status === 'underpaid'
}

/** The WebSocket ends at these. */
export function isFinal(status: InvoiceStatus): boolean {
  return status === 'paid' || isClosed(status)
}

function sumOf(payments: readonly Payment[]): Zat {
  return sumZat(payments.map(payment => payment.valueZat))
}

function latest(payments: readonly Payment[]): Payment | null {
  return payments.reduce<Payment | null>((last, next) => (last && last.order > next.order ? last : next), null)
}

function isConfirmed({ place, inSnapshot }: Payment, { confirmations }: Terms, { tip }: View): boolean {
  if (place.at === 'mempool') return confirmations === 0 && inSnapshot
  return confirmationsOf(place, tip) >= confirmations
}

/** Up to which height a payment that has left the mempool can still be mined. Null: none can, or the window is over. */
function heldOpenUntil(payments: readonly Payment[], { watchUntil }: Terms, { tip, seenThrough }: View): number | null {
  const heights = payments
    .filter(({ place }) => place.at === 'dropped')
    .map(({ expiryHeight, lastSeenHeight }) => lastMinableHeight(expiryHeight, lastSeenHeight))
  const last = Math.max(0, ...heights)
  return last > tip && seenThrough < watchUntil ? last : null
}

/** @param due the invoice's time has run out, and nothing keeps it open */
function statusOf(
  terms: Terms,
  before: InvoiceStatus,
  receivedZat: Zat,
  confirmedZat: Zat,
  due: boolean,
): InvoiceStatus {
  if (before === 'paid' || confirmedZat >= terms.amountZat) return 'paid'
  const full = receivedZat >= terms.amountZat
  if (full) return isClosed(before) ? before : 'detected'
  if (!isClosed(before) && !due) return 'pending'
  return receivedZat > 0n ? 'underpaid' : 'expired'
}

/** What decides which events an invoice raises. */
export interface EventState {
  readonly status: InvoiceStatus
  /** When `invoice.underpaid` was raised; null: not yet. */
  readonly underpaidAt: number | null
}

/** The public events that a change raises. `invoice.underpaid` is raised once, however often money goes and comes. */
export function eventsOf(before: EventState, after: EventState): ('invoice.paid' | 'invoice.underpaid')[] {
  if (before.status === after.status) return []
  if (after.status === 'paid') return ['invoice.paid']
  return after.status === 'underpaid' && before.underpaidAt === null ? ['invoice.underpaid'] : []
}
