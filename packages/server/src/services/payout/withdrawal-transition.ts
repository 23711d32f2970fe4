import { AppError } from '../../domain/error.ts'
import { withdrawalUpdatedEvent } from '../../domain/notify/event.ts'
import { joinNotes } from '../../domain/payout/payout.ts'
import { attentionReason, statusAfter, type WithdrawalStep } from '../../domain/payout/withdrawal.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { Withdrawal, WithdrawalUpdate } from '../../ports/repository/payout/withdrawal.ts'
import type { Tx } from '../../ports/store.ts'
import type { Outbox } from '../notify/outbox.ts'

/** Values that may be written together with a step. */
type WithdrawalChanges = Partial<Omit<WithdrawalUpdate, 'status' | 'updatedAt'>>

/** A withdrawal is locked by its invoice: every change of it locks the invoice first. */
export async function lockWithdrawal(tx: Tx, invoiceId: number): Promise<{ withdrawal: Withdrawal; invoice: Invoice }> {
  const [invoice] = await tx.invoices.lock([invoiceId])
  const withdrawal = await tx.withdrawals.byInvoice(invoiceId)
  if (!invoice || !withdrawal) throw new AppError('no_such_withdrawal')
  return { withdrawal, invoice }
}

/**
 * Applies a step to a locked withdrawal and writes the result with its event. All triggers use it: the chain, the
 * merchant and the operator.
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

export function createWithdrawalTransition({ outbox }: { readonly outbox: Outbox }): TransitionWithdrawal {
  return async (tx, withdrawal, step, changes, now) => {
    const status = statusAfter(withdrawal, step)
    const changed = status !== withdrawal.status
    // Only a deposit leads to `needs_attention`.
    const lacksReason =
      changed && status === 'needs_attention' && step.step === 'deposit' && changes.reason === undefined
    const next: Withdrawal = {
      ...withdrawal,
      ...changes,
      ...(lacksReason && { reason: joinNotes(withdrawal.reason, attentionReason(withdrawal, step)) }),
      status,
      updatedAt: changed ? now : withdrawal.updatedAt,
    }
    await tx.withdrawals.update(withdrawal.invoiceId, next)
    if (changed) await outbox.append(tx, [withdrawalUpdatedEvent(next, now)])
    return next
  }
}
