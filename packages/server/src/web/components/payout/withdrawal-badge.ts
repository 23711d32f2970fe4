import type { WithdrawalStatus } from '../../../domain/payout/withdrawal.ts'
import { type Html, html } from '../../html.ts'
import { plain } from '../../text/dashboard.ts'

const STATUS_LABELS: Readonly<Record<WithdrawalStatus, readonly [kind: string, label: string]>> = {
  awaiting_deposit: ['pending', plain('payout_is_awaiting_deposit')],
  deposit_detected: ['detected', plain('payout_is_detected')],
  payout_processing: ['detected', plain('payout_is_processing')],
  completed: ['paid', plain('payout_is_completed')],
  canceled: ['expired', plain('payout_is_canceled')],
  expired: ['expired', plain('payout_is_expired')],
  failed: ['bad', plain('payout_is_failed')],
  needs_attention: ['bad', plain('payout_is_attention')],
}

/** The status of a withdrawal. */
export function withdrawalBadge(status: WithdrawalStatus): Html {
  const [kind, label] = STATUS_LABELS[status]
  return html`<span class="badge badge-${kind}">${label}</span>`
}
