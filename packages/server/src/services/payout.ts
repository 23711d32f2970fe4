import { chainTime, clockAgreesWithChain, MEDIAN_BLOCKS } from '../domain/chain-time.ts'
import { notFound } from '../domain/error.ts'
import type { ConsensusParams } from '../domain/network-upgrade.ts'
import {
  depositNotConfirmedError,
  joinNotes,
  MAX_PAYOUT_NOTE_CHARS,
  type PayoutNote,
  payoutInProgressError,
  requireValidNote,
  withdrawalNotOpenError,
  withMissingNotes,
} from '../domain/payout.ts'
import { payoutReference } from '../domain/set-aside.ts'
import { showUnprintable } from '../domain/text.ts'
import { isUuid } from '../domain/uuid.ts'
import {
  type ClosedBy,
  describeOrder,
  IllegalStepError,
  WITHDRAWAL_STATUSES,
  type WithdrawalStatus,
} from '../domain/withdrawal.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { PayoutProvider, PayoutResult } from '../ports/payout-provider.ts'
import type { Withdrawal } from '../ports/repository/withdrawal.ts'
import type { Store, Tx } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'
import { recordCommand } from './audit.ts'
import { createPayoutClaims } from './payout-claim.ts'
import { type OwnedPayoutOrder, openPayoutOrder, type PayoutOrder, withOwners } from './payout-order.ts'
import type { SetAsides } from './set-aside.ts'
import { hasUnconfirmedPayment, lockClaimed, lockWithdrawal } from './withdrawal-lock.ts'
import type { TransitionWithdrawal, WithdrawalChanges } from './withdrawal-transition.ts'

/** The payout side of withdrawals, used by the operator and the payout provider. */
export interface Payouts {
  /** Orders of all accounts, newest first. Default: all statuses. */
  list(limit: number, statuses?: readonly WithdrawalStatus[]): Promise<OwnedPayoutOrder[]>
  /** @throws AppError `no_such_withdrawal` */
  read(id: string): Promise<OwnedPayoutOrder>
  /**
   * Records that the operator has paid out.
   * @throws AppError `no_such_withdrawal`, `invalid_reference`, `withdrawal_not_open`, `payout_in_progress`,
   * `deposit_not_confirmed` while payments of the deposit are unconfirmed
   */
  markPaidOut(id: string, reference: string, options?: CloseOptions): Promise<PayoutOrder>
  /**
   * Records that the operator will not pay out.
   * @throws AppError `no_such_withdrawal`, `invalid_reason`, `withdrawal_not_open`, `payout_in_progress`
   */
  markFailed(id: string, reason: string, options?: CloseOptions): Promise<PayoutOrder>
  /** Number of orders to pay out, and of orders that need attention. */
  countWaiting(): Promise<{ readonly payouts: number; readonly withdrawals: number }>
  /**
   * Passes due orders to the provider and records the results. Returns the number of due orders. A separate transaction
   * claims each order right before the provider is called. From then on, and after a crash, the order counts as being
   * paid until the provider reports the end, or that a person pays it (`by_hand`).
   */
  payDue(limit: number): Promise<number>
  /** Passes orders that are set aside to the provider, each alone. */
  retrySetAside(): Promise<boolean>
}

export interface CloseOptions {
  /** Closes an order even if a provider is paying it. Set it only when the provider will not pay. */
  readonly override?: boolean | undefined
}

/** The effect of a provider's result on the order. */
type ResultEffect = 'applied' | 'late' | 'paid_after_close' | 'order_lost'

/** Delay after a failed call of the provider. */
const RETRY_SECS = 60
const MAX_RETRY_SECS = 86_400

export function createPayouts(deps: {
  readonly store: Store
  readonly transitionWithdrawal: TransitionWithdrawal
  readonly clock: Clock
  readonly vault: Vault
  readonly provider: PayoutProvider
  readonly params: ConsensusParams
  readonly log: Log
  readonly setAsides: SetAsides
}): Payouts {
  const { store, transitionWithdrawal, clock, vault, provider, params, log, setAsides } = deps
  const { claimDue, claimSetAside } = createPayoutClaims(deps)

  /**
   * Closes an order at the amount received so far; only a larger amount reopens it. A reopened order keeps the notes of
   * its earlier closing.
   */
  function closeOrder(
    tx: Tx,
    withdrawal: Withdrawal,
    step: 'settle' | 'fail',
    note: Partial<PayoutNote>,
    closedBy: ClosedBy,
  ): Promise<Withdrawal> {
    const notes = {
      reference: joinNotes(withdrawal.reference, note.reference),
      reason: joinNotes(withdrawal.reason, note.reason),
    }
    const changes: WithdrawalChanges = {
      ...notes,
      receivedAtCloseZat: withdrawal.receivedZat,
      activePayout: null,
      closedBy,
    }
    return transitionWithdrawal(tx, withdrawal, { step }, changes, nowSecs(clock))
  }

  function closeByOperator(
    id: string,
    step: 'settle' | 'fail',
    note: Partial<PayoutNote>,
    { override = false }: CloseOptions = {},
  ): Promise<PayoutOrder> {
    return store.write(async tx => {
      const { withdrawal, invoice } = await lockWithdrawal(tx, (await find(tx, id)).invoiceId)
      if (withdrawal.activePayout && !override) throw payoutInProgressError(withdrawal.activePayout)
      try {
        const closed = await closeOrder(tx, withdrawal, step, note, 'operator')
        if (step === 'settle' && (await hasUnconfirmedPayment(tx, invoice)))
          throw depositNotConfirmedError(invoice.confirmations)
        const kind = step === 'settle' ? 'withdrawal_settled' : 'withdrawal_failed'
        await recordCommand(tx, {
          accountId: closed.accountId,
          kind,
          at: nowSecs(clock),
          detail: describeOrder(closed),
        })
        return openPayoutOrder(vault, closed)
      } catch (error) {
        throw error instanceof IllegalStepError ? withdrawalNotOpenError(withdrawal.status) : error
      }
    })
  }

  /** A claim by a wrong clock would end too late, or too early. */
  async function clockIsRight(now: number): Promise<boolean> {
    return clockAgreesWithChain(chainTime(params, await store.query(tx => tx.chain.newestHeaders(MEDIAN_BLOCKS)), now))
  }

  /** @throws when the order can be neither closed nor postponed: it is to be set aside */
  async function pay(withdrawal: Withdrawal): Promise<void> {
    const { publicId: id, amountZat, fiatCurrency, fiatAmount } = withdrawal
    const order = id.slice(0, 8)
    try {
      const { payoutTo } = openPayoutOrder(vault, withdrawal)
      const payout = await provider.pay({ id, amountZat, fiatCurrency, fiatAmount, payoutTo })
      const effect = await store.write(tx => applyPayoutResult(tx, withdrawal, payout))
      const details = { order, provider: provider.name, state: payout.state }
      if (effect === 'applied') log.info(details, 'a withdrawal was passed to the payout provider')
      else if (effect === 'late')
        log.warn(details, 'the result of the payout provider arrived after its order had changed')
      else if (effect === 'order_lost')
        log.error(details, 'the payout provider was called for an order that a restored database does not contain')
      else
        log.warn(
          details,
          'the payout provider paid an order that was already closed: the merchant may have been paid twice',
        )
    } catch (err) {
      log.error(
        { order, provider: provider.name, err },
        'a payout failed or could not be recorded; the provider will be called again',
      )
      await store.write(tx => postpone(tx, withdrawal))
    }
  }

  /**
   * Applies a result while the order is still being paid out. If the order has changed since (more coins arrived, or the
   * operator closed it), the result is kept as a note for the operator.
   */
  async function applyPayoutResult(tx: Tx, claimed: Withdrawal, payout: PayoutResult): Promise<ResultEffect> {
    const withdrawal = await lockClaimed(tx, claimed)
    if (!withdrawal) return 'order_lost'
    const { invoiceId } = withdrawal
    if (withdrawal.status !== 'payout_processing') return applyLate(tx, withdrawal, payout)
    const note = noteOf(payout)
    const now = nowSecs(clock)
    switch (payout.state) {
      case 'by_hand':
        await tx.withdrawals.update(invoiceId, { ...withdrawal, payoutDueAt: null, activePayout: null })
        break
      case 'processing': {
        const retrySecs = Math.min(Math.max(payout.pollAfterSecs, 1), MAX_RETRY_SECS)
        const activePayout = withdrawal.activePayout ?? { provider: provider.name, since: now }
        await tx.withdrawals.update(invoiceId, { ...withdrawal, payoutDueAt: now + retrySecs, activePayout })
        break
      }
      case 'paid':
        await closeOrder(tx, withdrawal, 'settle', note, 'provider')
        break
      case 'failed':
        await closeOrder(tx, withdrawal, 'fail', note, 'provider')
        break
    }
    return 'applied'
  }

  /**
   * A late result does not change a closed order, with one exception: a payout of an order that failed or that the
   * operator closed needs attention. A repeated report of the completing payout has no effect.
   */
  async function applyLate(tx: Tx, withdrawal: Withdrawal, payout: PayoutResult): Promise<ResultEffect> {
    const note = noteOf(payout)
    const { invoiceId, status, closedBy } = withdrawal
    const activePayout = payout.state === 'processing' ? withdrawal.activePayout : null
    if (payout.state !== 'paid' || (status !== 'failed' && closedBy !== 'operator')) {
      await tx.withdrawals.update(invoiceId, { ...withdrawal, ...withMissingNotes(withdrawal, note), activePayout })
      return status === 'completed' && payout.state === 'paid' ? 'applied' : 'late'
    }
    const changes: WithdrawalChanges = {
      reference: joinNotes(withdrawal.reference, note.reference),
      reason: joinNotes(withdrawal.reason, `paid by the provider ${provider.name} after the order was closed`),
      activePayout,
    }
    if (status === 'needs_attention') await tx.withdrawals.update(invoiceId, { ...withdrawal, ...changes })
    else await transitionWithdrawal(tx, withdrawal, { step: 'paid_after_close' }, changes, nowSecs(clock))
    return 'paid_after_close'
  }

  async function postpone(tx: Tx, claimed: Withdrawal): Promise<void> {
    const withdrawal = await lockClaimed(tx, claimed)
    if (withdrawal?.status !== 'payout_processing') return
    await tx.withdrawals.update(withdrawal.invoiceId, { ...withdrawal, payoutDueAt: nowSecs(clock) + RETRY_SECS })
  }

  return {
    list: async (limit, statuses = WITHDRAWAL_STATUSES) =>
      store.read(async tx => withOwners(tx, vault, await tx.withdrawals.listByStatus(statuses, limit))),

    async read(id) {
      const [order] = await store.read(async tx => withOwners(tx, vault, [await find(tx, id)]))
      return order as OwnedPayoutOrder
    },

    async markPaidOut(id, reference, options) {
      requireValidNote('reference', reference)
      return closeByOperator(id, 'settle', { reference }, options)
    },

    async markFailed(id, reason, options) {
      requireValidNote('reason', reason)
      return closeByOperator(id, 'fail', { reason }, options)
    },

    countWaiting: () =>
      store.read(async tx => ({
        payouts: await tx.withdrawals.countByStatus('payout_processing'),
        withdrawals: await tx.withdrawals.countByStatus('needs_attention'),
      })),

    retrySetAside: () =>
      setAsides.retryDue('payout', async entry => {
        const now = nowSecs(clock)
        if (!(await clockIsRight(now))) return false
        const claimed = await claimSetAside(entry, now)
        if (!claimed) return false
        await pay(claimed)
        await store.write(tx => tx.setAside.remove(entry))
        return false
      }),

    async payDue(limit) {
      for (let count = 0; count < limit; count++) {
        const now = nowSecs(clock)
        if (!(await clockIsRight(now))) return count
        const due = await claimDue(now)
        if (!due) return count
        if (due !== 'set_aside') await pay(due).catch(error => setAsides.record(payoutReference(due), error))
      }
      return limit
    },
  }
}

function noteOf(payout: PayoutResult): Partial<PayoutNote> {
  if (payout.state === 'paid') return { reference: providerNote(payout.reference) }
  return payout.state === 'failed' ? { reason: providerNote(payout.reason) } : {}
}

function providerNote(text: string): string {
  return showUnprintable(text.slice(0, MAX_PAYOUT_NOTE_CHARS)).slice(0, MAX_PAYOUT_NOTE_CHARS)
}

async function find(tx: Tx, id: string): Promise<Withdrawal> {
  const withdrawal = isUuid(id) ? await tx.withdrawals.byPublicId(id.toLowerCase()) : null
  if (!withdrawal) throw notFound('withdrawal')
  return withdrawal
}
