import type { Invoice, InvoiceStatus } from '../../domain/sale/invoice.ts'
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

/** The status of an invoice, and badges if it is overpaid or a reorganisation removed payments of a paid invoice. */
export function statusBadges({ status, needsAttention, overpaidZat }: Invoice): Html {
  const missing = needsAttention && html` <span class="badge badge-bad">Payment missing</span>`
  return html`${statusBadge(status)}${missing}${overpaidZat > 0n && html` <span class="badge badge-detected">Overpaid</span>`}`
}
