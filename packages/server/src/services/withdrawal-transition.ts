import { withdrawalUpdated } from '../domain/event.ts'
import { after, type WithdrawalStep } from '../domain/withdrawal.ts'
import type { Withdrawal, WithdrawalOutcome } from '../ports/repository/withdrawal.ts'
import type { Rows } from '../ports.ts'

/**
 * Takes a step with a withdrawal that is held for change, and writes what came of it, its event included. Every
 * trigger ends here: the chain, the merchant, the operator, the payout provider.
 *
 * @param learnt what else became known along with the step
 * @param now Unix seconds
 * @throws IllegalStep
 */
export async function move(
  rows: Rows,
  withdrawal: Withdrawal,
  step: WithdrawalStep,
  learnt: Partial<
    Pick<WithdrawalOutcome, 'receivedZat' | 'closedAtZat' | 'reference' | 'reason' | 'paying' | 'closedBy'>
  >,
  now: number,
): Promise<Withdrawal> {
  const status = after(withdrawal, step)
  const moved = status !== withdrawal.status
  const next: Withdrawal = {
    ...withdrawal,
    ...learnt,
    status,
    // Whoever pays out is asked as soon as the deposit is confirmed, and no longer once the order is anything else.
    payoutDueAt: status !== 'payout_processing' ? null : moved ? now : withdrawal.payoutDueAt,
    updatedAt: moved ? now : withdrawal.updatedAt,
  }
  await rows.withdrawals.record(withdrawal.invoiceId, next)
  if (!moved) return next
  await rows.events.append([withdrawalUpdated(next, now)])
  rows.wake('events')
  if (next.payoutDueAt !== null) rows.wake('payouts')
  return next
}
