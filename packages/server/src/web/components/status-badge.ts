import { type Invoice, type InvoiceStatus, isPartPaid } from '../../domain/sale/invoice.ts'
import { type Html, html } from '../html.ts'

const STATUS_LABELS: Readonly<Record<InvoiceStatus, string>> = {
  pending: 'Pending',
  detected: 'Detected',
  paid: 'Paid',
  underpaid: 'Underpaid',
  expired: 'Expired',
}

/** The status of an invoice. */
export function statusBadge(status: InvoiceStatus): Html {
  return html`<span class="badge badge-${status}">${STATUS_LABELS[status]}</span>`
}

/** The status of an invoice, and badges for what is unusual about it. An expired one that was canceled is only that. */
export function statusBadges(invoice: Invoice): Html {
  const { status, needsAttention, overpaidZat, canceledAt, lateAt, refundedZat } = invoice
  const isCanceled = canceledAt !== null
  const badges = [
    !(isCanceled && status === 'expired') && statusBadge(status),
    isCanceled && badge('expired', 'Canceled'),
    needsAttention && badge('bad', 'Payment missing'),
    // `underpaid` says the same.
    status !== 'underpaid' && isPartPaid(invoice) && badge('pending', 'Part paid'),
    lateAt !== null && badge('detected', 'Late'),
    overpaidZat > (refundedZat ?? 0n) && badge('detected', 'Overpaid'),
    refundedZat !== null && badge('expired', 'Refunded'),
  ]
  return html`${badges.filter(Boolean).map((child, index) => (index === 0 ? child : html` ${child}`))}`
}

function badge(kind: string, text: string): Html {
  return html`<span class="badge badge-${kind}">${text}</span>`
}
