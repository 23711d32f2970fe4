import { withdrawalUpdated } from '../domain/event.ts'
import { after, type WithdrawalStep } from '../domain/withdrawal.ts'
import type { Withdrawal, WithdrawalOutcome } from '../ports/repository/withdrawal.ts'
import type { Rows } from '../ports/store.ts'

/**
 * Applies a step to a locked withdrawal and writes the result with its event. All triggers use it: the chain, the
 * merchant, the operator and the payout provider.
 *
 * @param changes further values to write with the step
 * @param now Unix seconds
 * @throws IllegalStep when the status does not allow the step
 */
export async function move(
  tx: Rows,
  withdrawal: Withdrawal,
  step: WithdrawalStep,
  changes: Partial<
    Pick<WithdrawalOutcome, 'receivedZat' | 'closedAtZat' | 'reference' | 'reason' | 'paying' | 'closedBy'>
  >,
  now: number,
): Promise<Withdrawal> {
  const status = after(withdrawal, step)
  const changed = status !== withdrawal.status
  const next: Withdrawal = {
    ...withdrawal,
    ...changes,
    status,
    // The payout is due as soon as the deposit is confirmed, and only while the order is in payout_processing.
    payoutDueAt: status !== 'payout_processing' ? null : changed ? now : withdrawal.payoutDueAt,
    updatedAt: changed ? now : withdrawal.updatedAt,
  }
  await tx.withdrawals.record(withdrawal.invoiceId, next)
  if (!changed) return next
  await tx.events.append([withdrawalUpdated(next, now)])
  tx.wake('events')
  if (next.payoutDueAt !== null) tx.wake('payouts')
  return next
}
