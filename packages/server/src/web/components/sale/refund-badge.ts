import type { RefundStatus } from '../../../domain/sale/refund.ts'
import { type Html, html } from '../../html.ts'
import { plain } from '../../text/dashboard.ts'

export const REFUND_LABELS: Readonly<Record<RefundStatus, readonly [kind: string, label: string]>> = {
  awaiting_address: ['pending', plain('refund_is_awaiting')],
  ready: ['detected', plain('refund_is_ready')],
  sent: ['paid', plain('refund_is_sent')],
  canceled: ['expired', plain('refund_is_canceled')],
}

/** The status of a refund. */
export function refundBadge(status: RefundStatus): Html {
  const [kind, label] = REFUND_LABELS[status]
  return html`<span class="badge badge-${kind}">${label}</span>`
}
