import type { RefundStatus } from '../../../domain/sale/refund.ts'
import { type Html, html } from '../../html.ts'

export const REFUND_LABELS: Readonly<Record<RefundStatus, readonly [kind: string, label: string]>> = {
  awaiting_address: ['pending', 'Awaiting address'],
  ready: ['detected', 'Ready to pay'],
  sent: ['paid', 'Sent'],
  canceled: ['expired', 'Canceled'],
}

/** The status of a refund. */
export function refundBadge(status: RefundStatus): Html {
  const [kind, label] = REFUND_LABELS[status]
  return html`<span class="badge badge-${kind}">${label}</span>`
}
