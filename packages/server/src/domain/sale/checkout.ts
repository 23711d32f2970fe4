import type { Zat } from '../money.ts'
import { coversAmount, type InvoiceStatus } from './invoice.ts'
import type { SwapStatus } from './swap.ts'

/**
 * The action that an invoice needs from its buyer now. Money that arrived decides before the time does:
 * - `payable`: pay the amount, or the rest of it
 * - `confirming`: nothing. The full amount has arrived, in time or late
 * - `paid`: nothing
 * - `short`: pay the rest. The invoice is past its expiry, and a part of its amount has arrived
 * - `late`: nothing without the shop. The invoice is past its expiry and nothing has arrived, but a payment still counts
 * - `over`: nothing. Payments no longer count
 */
export type CheckoutState = 'payable' | 'confirming' | 'paid' | 'short' | 'late' | 'over'

interface CheckoutTerms {
  readonly status: InvoiceStatus
  readonly amountZat: Zat
  readonly receivedZat: Zat
  /** Unix seconds. */
  readonly expiresAt: number
  readonly watchUntil: number
}

/** @param now Unix seconds */
export function checkoutState(invoice: CheckoutTerms, now: number): CheckoutState {
  const { status, receivedZat, expiresAt, watchUntil } = invoice
  if (status === 'paid') return 'paid'
  if (coversAmount(receivedZat, invoice)) return 'confirming'
  if (now > watchUntil) return 'over'
  if (status === 'pending' && now < expiresAt) return 'payable'
  return receivedZat > 0n ? 'short' : 'late'
}

/** Whether a deposit that the swap provider has may still become a payment of the invoice: nothing else is paid meanwhile. */
export function depositMayPay(status: SwapStatus): boolean {
  return status === 'KNOWN_DEPOSIT_TX' || status === 'PROCESSING' || status === 'SUCCESS'
}

/** A second payment of the same invoice usually comes within minutes of the first. */
const WATCH_AFTER_PAID_SECS = 3_600

/** Whether an open page must go on asking for changes that no WebSocket reports: late money, and money after `paid`. */
export function needsRecheck(invoice: CheckoutTerms & { readonly paidAt: number | null }, now: number): boolean {
  const { status, paidAt, watchUntil, receivedZat } = invoice
  if (status === 'pending' || status === 'detected') return false
  return status === 'paid'
    ? paidAt !== null && now < paidAt + WATCH_AFTER_PAID_SECS
    : now <= watchUntil || coversAmount(receivedZat, invoice)
}
