import type { WithdrawalStatus } from '../../../domain/payout/withdrawal.ts'
import { type Html, html } from '../../html.ts'

const STATUS_LABELS: Readonly<Record<WithdrawalStatus, readonly [kind: string, label: string]>> = {
  awaiting_deposit: ['pending', 'Awaiting deposit'],
  deposit_detected: ['detected', 'Deposit detected'],
  payout_processing: ['detected', 'Payout processing'],
  completed: ['paid', 'Completed'],
  canceled: ['expired', 'Canceled'],
  expired: ['expired', 'Expired'],
  failed: ['bad', 'Failed'],
  needs_attention: ['bad', 'Needs attention'],
}

/** The status of a withdrawal. */
export function withdrawalBadge(status: WithdrawalStatus): Html {
  const [kind, label] = STATUS_LABELS[status]
  return html`<span class="badge badge-${kind}">${label}</span>`
}
