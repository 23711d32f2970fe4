import { withdrawalUpdatedEvent } from '../domain/event.ts'
import { joinNotes } from '../domain/payout.ts'
import { attentionReason, statusAfter, type WithdrawalStep } from '../domain/withdrawal.ts'
import type { Withdrawal, WithdrawalUpdate } from '../ports/repository/withdrawal.ts'
import type { Tx } from '../ports/store.ts'
import type { Outbox } from './outbox.ts'

/** Values that may be written together with a step. */
export type WithdrawalChanges = Partial<
  Pick<WithdrawalUpdate, 'receivedZat' | 'receivedAtCloseZat' | 'reference' | 'reason' | 'activePayout' | 'closedBy'>
>

/**
 * Applies a step to a locked withdrawal and writes the result with its event. All triggers use it: the chain, the
 * merchant, the operator and the payout provider.
 *
 * @param changes further values to write with the step
 * @param now Unix seconds
 * @throws IllegalStepError when the status does not allow the step
 */
export type TransitionWithdrawal = (
  tx: Tx,
  withdrawal: Withdrawal,
  step: WithdrawalStep,
  changes: WithdrawalChanges,
  now: number,
) => Promise<Withdrawal>

/** Before every clock: one that is ahead must not put the payout off. */
const DUE_AT_ONCE = 0

export function createWithdrawalTransition({ outbox }: { readonly outbox: Outbox }): TransitionWithdrawal {
  return async (tx, withdrawal, step, changes, now) => {
    const status = statusAfter(withdrawal, step)
    const changed = status !== withdrawal.status
    const needsReason = changed && status === 'needs_attention' && (changes.reason ?? null) === null
    const next: Withdrawal = {
      ...withdrawal,
      ...changes,
      ...(needsReason && { reason: joinNotes(withdrawal.reason, attentionReason(withdrawal, step)) }),
      status,
      // The payout is due as soon as the deposit is confirmed, and only while the order is in payout_processing.
      payoutDueAt: status !== 'payout_processing' ? null : changed ? DUE_AT_ONCE : withdrawal.payoutDueAt,
      updatedAt: changed ? now : withdrawal.updatedAt,
    }
    await tx.withdrawals.update(withdrawal.invoiceId, next)
    if (!changed) return next
    await outbox.append(tx, [withdrawalUpdatedEvent(next, now)])
    if (next.payoutDueAt !== null) tx.notify('payouts')
    return next
  }
}
