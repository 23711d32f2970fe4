import {
  depositNotConfirmedError,
  joinNotes,
  requireValidNote,
  withdrawalNotOpenError,
} from '../../domain/payout/payout.ts'
import { describeOrder, IllegalStepError, payoutSealContext } from '../../domain/payout/withdrawal.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { confirmedThrough } from '../../domain/sale/payment.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Withdrawal } from '../../ports/repository/payout/withdrawal.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import { recordCommand } from '../account/audit.ts'
import { findByPublicId } from '../public-id.ts'
import { readTips } from '../sale/invoice-state.ts'
import { lockWithdrawal, type TransitionWithdrawal } from './withdrawal-transition.ts'

/** A withdrawal as the operator pays it out. */
export interface PayoutOrder {
  readonly withdrawal: Withdrawal
  /** Payout details in full. */
  readonly payoutTo: string
  /** The email of the account that the order belongs to. */
  readonly email: string
}

/** The operator's side of withdrawals: the operator pays out by hand and records the result. */
export interface Payouts {
  /** Orders of all accounts, newest first. */
  list(limit: number): Promise<PayoutOrder[]>
  /** @throws AppError `no_such_withdrawal` */
  read(id: string): Promise<PayoutOrder>
  /**
   * Records that the operator has paid out.
   * @throws AppError `no_such_withdrawal`, `invalid_reference`, `withdrawal_not_open`; `deposit_not_confirmed` while
   * payments of the deposit are unconfirmed
   */
  markPaidOut(id: string, reference: string): Promise<Withdrawal>
  /**
   * Records that the operator will not pay out.
   * @throws AppError `no_such_withdrawal`, `invalid_reason`, `withdrawal_not_open`
   */
  markFailed(id: string, reason: string): Promise<Withdrawal>
  /** Number of orders to pay out, and of orders that need attention. */
  countWaiting(): Promise<{ readonly payouts: number; readonly withdrawals: number }>
}

export function createPayouts(deps: {
  readonly store: Store
  readonly transitionWithdrawal: TransitionWithdrawal
  readonly clock: Clock
  readonly vault: Vault
}): Payouts {
  const { store, transitionWithdrawal, clock, vault } = deps

  /**
   * Closes an order at the amount received so far; only a larger amount reopens it. A reopened order keeps the notes of
   * its earlier closing.
   */
  function close(id: string, step: 'settle' | 'fail', note: string): Promise<Withdrawal> {
    const now = nowSecs(clock)
    return store.write(async tx => {
      const { withdrawal, invoice } = await lockWithdrawal(tx, (await find(tx, id)).invoiceId)
      const { reference, reason, receivedZat } = withdrawal
      const notes = step === 'settle' ? { reference: joinNotes(reference, note) } : { reason: joinNotes(reason, note) }
      const changes = { ...notes, receivedAtCloseZat: receivedZat }
      const closed = await transitionWithdrawal(tx, withdrawal, { step }, changes, now).catch(error => {
        throw error instanceof IllegalStepError ? withdrawalNotOpenError(error.status) : error
      })
      if (step === 'settle' && (await hasUnconfirmedPayment(tx, invoice)))
        throw depositNotConfirmedError(invoice.confirmations)
      const kind = step === 'settle' ? 'withdrawal_settled' : 'withdrawal_failed'
      await recordCommand(tx, { accountId: closed.accountId, kind, at: now, detail: describeOrder(closed) })
      return closed
    })
  }

  /** Decrypts the payout details of orders, and reads whose they are. */
  async function withOwners(tx: Tx, withdrawals: readonly Withdrawal[]): Promise<PayoutOrder[]> {
    const emails = new Map<number, string>()
    for (const id of new Set(withdrawals.map(({ accountId }) => accountId)))
      emails.set(id, (await tx.accounts.byId(id))?.email ?? '')
    return withdrawals.map(withdrawal => {
      return { withdrawal, payoutTo: openPayoutTo(vault, withdrawal), email: emails.get(withdrawal.accountId) ?? '' }
    })
  }

  return {
    list: limit => store.read(async tx => withOwners(tx, await tx.withdrawals.listNewest(limit))),

    async read(id) {
      const [order] = await store.read(async tx => withOwners(tx, [await find(tx, id)]))
      return order as PayoutOrder
    },

    async markPaidOut(id, reference) {
      requireValidNote('reference', reference)
      return close(id, 'settle', reference)
    },

    async markFailed(id, reason) {
      requireValidNote('reason', reason)
      return close(id, 'fail', reason)
    },

    countWaiting: () =>
      store.read(async tx => ({
        payouts: await tx.withdrawals.countByStatus('payout_processing'),
        withdrawals: await tx.withdrawals.countByStatus('needs_attention'),
      })),
  }
}

function find(tx: Tx, id: string): Promise<Withdrawal> {
  return findByPublicId('no_such_withdrawal', id, publicId => tx.withdrawals.byPublicId(publicId))
}

function openPayoutTo(vault: Vault, { sealedPayoutTo, invoiceId }: Withdrawal): string {
  if (sealedPayoutTo.length === 0) return 'deleted with the account'
  return Buffer.from(vault.open(sealedPayoutTo, payoutSealContext(invoiceId))).toString()
}

/** Whether any payment has fewer confirmations than the order requires. */
async function hasUnconfirmedPayment(tx: Tx, { id, confirmations }: Invoice): Promise<boolean> {
  if (confirmations === 0) return false
  const { confirmedTip } = await readTips(tx)
  const sums = await tx.payments.summaries([{ id, confirmedThrough: confirmedThrough(confirmations, confirmedTip) }])
  const { unminedZat, unconfirmedHeight } = sums.get(id)!
  return unminedZat > 0n || unconfirmedHeight !== null
}
