import { withdrawalUpdatedEvent } from '../domain/event.ts'
import { statusAfter, type WithdrawalStep } from '../domain/withdrawal.ts'
import type { Withdrawal, WithdrawalUpdate } from '../ports/repository/withdrawal.ts'
import type { Tx } from '../ports/store.ts'

/**
 * Applies a step to a locked withdrawal and writes the result with its event. All triggers use it: the chain, the
 * merchant, the operator and the payout provider.
 *
 * @param changes further values to write with the step
 * @param now Unix seconds
 * @throws IllegalStep when the status does not allow the step
 */
export async function transitionWithdrawal(
  tx: Tx,
  withdrawal: Withdrawal,
  step: WithdrawalStep,
  changes: Partial<
    Pick<WithdrawalUpdate, 'receivedZat' | 'receivedAtCloseZat' | 'reference' | 'reason' | 'activePayout' | 'closedBy'>
  >,
  now: number,
): Promise<Withdrawal> {
  const status = statusAfter(withdrawal, step)
  const changed = status !== withdrawal.status
  const next: Withdrawal = {
    ...withdrawal,
    ...changes,
    status,
    // The payout is due as soon as the deposit is confirmed, and only while the order is in payout_processing.
    payoutDueAt: status !== 'payout_processing' ? null : changed ? now : withdrawal.payoutDueAt,
    updatedAt: changed ? now : withdrawal.updatedAt,
  }
  await tx.withdrawals.update(withdrawal.invoiceId, next)
  if (!changed) return next
  await tx.events.append([withdrawalUpdatedEvent(next, now)])
  tx.notify('events')
  if (next.payoutDueAt !== null) tx.notify('payouts')
  return next
}
