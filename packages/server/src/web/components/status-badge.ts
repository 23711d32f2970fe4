import { type Invoice, type InvoiceMark, type InvoiceStatus, isPartPaid } from '../../domain/sale/invoice.ts'
import { type Html, html } from '../html.ts'
import { plain } from '../text/dashboard.ts'

const STATUS_LABELS: Readonly<Record<InvoiceStatus, string>> = {
  pending: plain('status_pending'),
  detected: plain('status_detected'),
  paid: plain('status_paid'),
  underpaid: plain('status_underpaid'),
  expired: plain('status_expired'),
}

/** Labels of the merchant's marks: the chain may show something else. */
export const MARK_LABELS: Readonly<Record<InvoiceMark, string>> = {
  settled: plain('badge_marked_settled'),
  invalid: plain('badge_marked_invalid'),
}

/** The status of an invoice. */
export function statusBadge(status: InvoiceStatus): Html {
  return html`<span class="badge badge-${status}">${STATUS_LABELS[status]}</span>`
}

/** The status of an invoice, and badges for what is unusual about it. An expired one that was canceled is only that. */
export function statusBadges(invoice: Invoice): Html {
  const { status, needsAttention, overpaidZat, canceledAt, markedAs, lateAt, refundedZat } = invoice
  const isCanceled = canceledAt !== null
  const badges = [
    !(isCanceled && status === 'expired') && statusBadge(status),
    isCanceled && badge('expired', plain('badge_canceled')),
    markedAs !== null && badge('expired', MARK_LABELS[markedAs]),
    needsAttention && badge('bad', plain('badge_missing')),
    // `underpaid` says the same.
    status !== 'underpaid' && isPartPaid(invoice) && badge('pending', plain('badge_part_paid')),
    lateAt !== null && badge('detected', plain('badge_late')),
    overpaidZat > (refundedZat ?? 0n) && badge('detected', plain('badge_overpaid')),
    refundedZat !== null && badge('expired', plain('badge_refunded')),
  ]
  return html`${badges.filter(Boolean).map((child, index) => (index === 0 ? child : html` ${child}`))}`
}

function badge(kind: string, text: string): Html {
  return html`<span class="badge badge-${kind}">${text}</span>`
}
