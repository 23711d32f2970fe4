import { type Invoice, isFinal } from './invoice.ts'
import type { SwapStatus } from './swap.ts'

/**
 * The action that an invoice needs from its buyer now. Money that arrived decides before the time does:
 * - `payable`: pay the amount, or the rest of it
 * - `confirming`: nothing. The full amount has arrived, in time or late
 * - `paid`: nothing
 * - `short`: pay the rest. The invoice is past its expiry, and a part of its amount has arrived
 * - `late`: nothing without the shop. The invoice is past its expiry and nothing has arrived, but a payment still counts
 * - `settled`: nothing. The shop has marked the invoice as settled, and the full amount has not arrived
 * - `canceled`: nothing. The shop has canceled the invoice or marked it as invalid, and the full amount has not arrived
 * - `over`: nothing. Payments no longer count
 */
export type CheckoutState = 'payable' | 'confirming' | 'paid' | 'short' | 'late' | 'settled' | 'canceled' | 'over'

type CheckoutTerms = Pick<
  Invoice,
  'status' | 'receivedZat' | 'dueZat' | 'expiresAt' | 'watchUntil' | 'canceledAt' | 'markedAs'
>

/** @param now Unix seconds */
export function checkoutState(invoice: CheckoutTerms, now: number): CheckoutState {
  const { status, receivedZat, dueZat, expiresAt, watchUntil, canceledAt, markedAs } = invoice
  if (status === 'paid') return 'paid'
  if (dueZat === 0n) return 'confirming'
  if (markedAs === 'settled') return 'settled'
  if (canceledAt !== null || markedAs === 'invalid') return 'canceled'
  if (now > watchUntil) return 'over'
  if (status === 'pending' && now < expiresAt) return 'payable'
  return receivedZat > 0n ? 'short' : 'late'
}

/** Whether a deposit that the swap provider has may still become a payment of the invoice: nothing else is paid meanwhile. */
export function depositMayPay(status: SwapStatus): boolean {
  return status === 'KNOWN_DEPOSIT_TX' || status === 'PROCESSING' || status === 'SUCCESS'
}

/**
 * How long after its payment a page that is opened anew still leads back to the shop by itself. An open page that becomes
 * paid does so at any time. `withoutScript` is enough for a page that reloads itself every 15 seconds, and short, since
 * without a script nothing remembers that it has happened.
 */
export const REDIRECT_SECS = { withScript: 600, withoutScript: 30 } as const

/** A second payment of the same invoice usually comes within minutes of the first. */
const WATCH_AFTER_PAID_SECS = 3_600

/**
 * Unix seconds until which an open checkout page may still change: money may arrive while the invoice is open, while late
 * payments count and for an hour after it is paid. Infinity: there is no such time yet.
 */
export function followedUntil(invoice: CheckoutTerms & Pick<Invoice, 'paidAt'>): number {
  const { status, paidAt, watchUntil, dueZat } = invoice
  if (status === 'paid') return (paidAt ?? 0) + WATCH_AFTER_PAID_SECS
  return isFinal(status) && dueZat > 0n ? watchUntil + 1 : Number.POSITIVE_INFINITY
}

/** Whether an open page with a final status must go on asking for changes: late money, and money after `paid`. */
export function needsRecheck(invoice: CheckoutTerms & Pick<Invoice, 'paidAt'>, now: number): boolean {
  return isFinal(invoice.status) && now < followedUntil(invoice)
}
