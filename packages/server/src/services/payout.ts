import { Fault, invalidField, noSuch } from '../domain/error.ts'
import { confirmationsOf } from '../domain/invoice.ts'
import { isoOf } from '../domain/time.ts'
import { isUuid } from '../domain/uuid.ts'
import {
  type ClosedBy,
  IllegalStep,
  NOTE_CHARS,
  payoutPlace,
  WITHDRAWAL_STATUSES,
  type WithdrawalStatus,
} from '../domain/withdrawal.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Payout, PayoutProvider } from '../ports/payout-provider.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { Paying, Withdrawal } from '../ports/repository/withdrawal.ts'
import type { Rows, Store } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'
import { move } from './withdrawal-transition.ts'

/** A withdrawal with its decrypted payout details. */
export interface DeskOrder {
  readonly withdrawal: Withdrawal
  /** Payout details in full. */
  readonly payoutTo: string
}

/** The payout side of withdrawals, used by the operator and the payout provider. */
export interface Payouts {
  /** Orders of all accounts, newest first. Default: all statuses. */
  list(limit: number, statuses?: readonly WithdrawalStatus[]): Promise<DeskOrder[]>
  /** @throws Fault `no_such_withdrawal` */
  read(id: string): Promise<DeskOrder>
  /**
   * Records that the operator has paid out.
   * @throws Fault `no_such_withdrawal`, `invalid_reference`, `withdrawal_not_open`, `payout_in_progress`,
   * `deposit_not_confirmed` while payments of the deposit are unconfirmed
   */
  settle(id: string, reference: string, options?: CloseOptions): Promise<DeskOrder>
  /**
   * Records that the operator will not pay out.
   * @throws Fault `no_such_withdrawal`, `invalid_reason`, `withdrawal_not_open`, `payout_in_progress`
   */
  fail(id: string, reason: string, options?: CloseOptions): Promise<DeskOrder>
  /** Number of orders to pay out, and of orders that need attention. */
  waiting(): Promise<{ readonly payouts: number; readonly withdrawals: number }>
  /**
   * Passes due orders to the provider and records the results. Returns the number of due orders. A separate transaction
   * claims each order right before the provider is called. From then on, and after a crash, the order counts as being
   * paid until the provider reports the end, or that a person pays it (`by_hand`).
   */
  payDue(limit: number): Promise<number>
}

export interface CloseOptions {
  /** Closes an order even if a provider is paying it. Set it only when the provider will not pay. */
  readonly override?: boolean | undefined
}

/** The effect of a provider's result on the order. */
type ResultEffect = 'applied' | 'late' | 'paid_after_close'

/** How long an order stays claimed. A provider that needs longer to respond is called again. */
const LEASE_SECS = 120
/** Delay after a failed call of the provider. */
const RETRY_SECS = 60
const MAX_RETRY_SECS = 86_400

export function createPayouts(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly vault: Vault
  readonly provider: PayoutProvider
  readonly log: Log
}): Payouts {
  const { store, clock, vault, provider, log } = deps

  function toPayoutOrder(withdrawal: Withdrawal): DeskOrder {
    const payoutTo = vault.open(withdrawal.sealedPayoutTo, payoutPlace(withdrawal.invoiceId))
    return { withdrawal, payoutTo: Buffer.from(payoutTo).toString() }
  }

  /**
   * Closes an order at the amount received so far; only a larger amount reopens it. A reopened order keeps the notes of
   * its earlier closing.
   */
  function closeOrder(
    tx: Rows,
    withdrawal: Withdrawal,
    step: 'settle' | 'fail',
    note: Partial<Note>,
    closedBy: ClosedBy,
  ): Promise<Withdrawal> {
    const notes = {
      reference: joinNotes(withdrawal.reference, note.reference),
      reason: joinNotes(withdrawal.reason, note.reason),
    }
    const changes = { ...notes, closedAtZat: withdrawal.receivedZat, paying: null, closedBy }
    return move(tx, withdrawal, { step }, changes, nowSecs(clock))
  }

  function closeByOperator(
    id: string,
    step: 'settle' | 'fail',
    note: Partial<Note>,
    { override = false }: CloseOptions = {},
  ): Promise<DeskOrder> {
    return store.write(async tx => {
      const { withdrawal, invoice } = await lockWithdrawal(tx, (await find(tx, id)).invoiceId)
      if (withdrawal.paying && !override) throw payoutInProgress(withdrawal.paying)
      try {
        const closed = await closeOrder(tx, withdrawal, step, note, 'operator')
        if (step === 'settle' && (await hasUnconfirmedPayment(tx, invoice))) throw depositNotConfirmed(invoice)
        return toPayoutOrder(closed)
      } catch (error) {
        throw error instanceof IllegalStep ? notOpen(withdrawal.status) : error
      }
    })
  }

  async function pay(withdrawal: Withdrawal): Promise<void> {
    const { publicId: id, amountZat, fiatCurrency, fiatAmount } = withdrawal
    const order = id.slice(0, 8)
    try {
      const { payoutTo } = toPayoutOrder(withdrawal)
      const payout = await provider.pay({ id, amountZat, fiatCurrency, fiatAmount, payoutTo })
      const effect = await store.write(tx => applyPayoutResult(tx, withdrawal.invoiceId, payout))
      const details = { order, provider: provider.name, state: payout.state }
      if (effect === 'applied') log.info(details, 'a withdrawal was passed to the payout provider')
      else if (effect === 'late')
        log.warn(details, 'the result of the payout provider arrived after its order had changed')
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
      await store.write(tx => postpone(tx, withdrawal.invoiceId))
    }
  }

  /**
   * Applies a result while the order is still being paid out. If the order has changed since (more coins arrived, or the
   * operator closed it), the result is kept as a note for the operator.
   */
  async function applyPayoutResult(tx: Rows, invoiceId: number, payout: Payout): Promise<ResultEffect> {
    const { withdrawal } = await lockWithdrawal(tx, invoiceId)
    if (withdrawal.status !== 'payout_processing') return applyLate(tx, withdrawal, payout)
    const note = noteOf(payout)
    const now = nowSecs(clock)
    switch (payout.state) {
      case 'by_hand':
        await tx.withdrawals.record(invoiceId, { ...withdrawal, payoutDueAt: null, paying: null })
        break
      case 'processing': {
        const retrySecs = Math.min(Math.max(payout.askAgainSecs, 1), MAX_RETRY_SECS)
        const paying = withdrawal.paying ?? { provider: provider.name, since: now }
        await tx.withdrawals.record(invoiceId, { ...withdrawal, payoutDueAt: now + retrySecs, paying })
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
  async function applyLate(tx: Rows, withdrawal: Withdrawal, payout: Payout): Promise<ResultEffect> {
    const note = noteOf(payout)
    const { invoiceId, status, closedBy } = withdrawal
    const paying = payout.state === 'processing' ? withdrawal.paying : null
    if (payout.state !== 'paid' || (status !== 'failed' && closedBy !== 'operator')) {
      await tx.withdrawals.record(invoiceId, { ...withdrawal, ...withMissingNotes(withdrawal, note), paying })
      return status === 'completed' && payout.state === 'paid' ? 'applied' : 'late'
    }
    const changes = {
      reference: joinNotes(withdrawal.reference, note.reference),
      reason: joinNotes(withdrawal.reason, `paid by the provider ${provider.name} after the order was closed`),
      paying,
    }
    if (status === 'needs_attention') await tx.withdrawals.record(invoiceId, { ...withdrawal, ...changes })
    else await move(tx, withdrawal, { step: 'paid_after_close' }, changes, nowSecs(clock))
    return 'paid_after_close'
  }

  async function postpone(tx: Rows, invoiceId: number): Promise<void> {
    const { withdrawal } = await lockWithdrawal(tx, invoiceId)
    if (withdrawal.status !== 'payout_processing') return
    await tx.withdrawals.record(invoiceId, { ...withdrawal, payoutDueAt: nowSecs(clock) + RETRY_SECS })
  }

  return {
    list: async (limit, statuses = WITHDRAWAL_STATUSES) =>
      (await store.read(tx => tx.withdrawals.listIn(statuses, limit))).map(toPayoutOrder),

    read: async id => toPayoutOrder(await store.read(tx => find(tx, id))),

    async settle(id, reference, options) {
      checkNote('reference', reference)
      return closeByOperator(id, 'settle', { reference }, options)
    },

    async fail(id, reason, options) {
      checkNote('reason', reason)
      return closeByOperator(id, 'fail', { reason }, options)
    },

    waiting: () =>
      store.read(async tx => ({
        payouts: await tx.withdrawals.countIn('payout_processing'),
        withdrawals: await tx.withdrawals.countIn('needs_attention'),
      })),

    async payDue(limit) {
      for (let count = 0; count < limit; count++) {
        const now = nowSecs(clock)
        const [due] = await store.write(tx => tx.withdrawals.claimPayouts(provider.name, now, now + LEASE_SECS, 1))
        if (!due) return count
        await pay(due)
      }
      return limit
    },
  }
}

type Note = Pick<Withdrawal, 'reference' | 'reason'>

function noteOf(payout: Payout): Partial<Note> {
  if (payout.state === 'paid') return { reference: payout.reference.slice(0, NOTE_CHARS) }
  return payout.state === 'failed' ? { reason: payout.reason.slice(0, NOTE_CHARS) } : {}
}

/** Fills in missing notes only, so that the operator's notes are kept. */
function withMissingNotes({ reference, reason }: Note, note: Partial<Note>): Note {
  return { reference: reference ?? note.reference ?? null, reason: reason ?? note.reason ?? null }
}

function joinNotes(earlier: string | null, added: string | null = null): string | null {
  return earlier !== null && added !== null ? `${earlier}; ${added}` : (added ?? earlier)
}

/** Locks the withdrawal. The invoice is locked first, in the same order everywhere. */
async function lockWithdrawal(tx: Rows, invoiceId: number): Promise<{ withdrawal: Withdrawal; invoice: Invoice }> {
  const [invoice] = await tx.invoices.lock([invoiceId])
  const withdrawal = await tx.withdrawals.lock(invoiceId)
  if (!invoice || !withdrawal) throw noSuch('withdrawal')
  return { withdrawal, invoice }
}

/** Whether any payment has fewer confirmations than the order requires. */
async function hasUnconfirmedPayment(tx: Rows, { id, confirmations }: Invoice): Promise<boolean> {
  const tip = (await tx.chain.tip())?.height ?? 0
  const payments = await tx.payments.ofInvoices([id])
  return payments.some(({ place }) => place.at !== 'dropped' && confirmationsOf(place, tip) < confirmations)
}

async function find(tx: Rows, id: string): Promise<Withdrawal> {
  const withdrawal = isUuid(id) ? await tx.withdrawals.byPublicId(id.toLowerCase()) : null
  if (!withdrawal) throw noSuch('withdrawal')
  return withdrawal
}

function checkNote(field: 'reference' | 'reason', text: string): void {
  if (text.trim() === '' || text.length > NOTE_CHARS || /\p{Cc}/u.test(text))
    throw invalidField(field, `1 to ${NOTE_CHARS} printable characters`)
}

function depositNotConfirmed({ confirmations }: Invoice): Fault {
  return new Fault('conflict', 'deposit_not_confirmed', 'deposit not confirmed', {
    extra: {
      detail: `some payments of the deposit have fewer than ${confirmations} confirmations: pay out later, or fail the order`,
    },
  })
}

function payoutInProgress({ provider, since }: Paying): Fault {
  return new Fault('conflict', 'payout_in_progress', 'payout in progress', {
    extra: {
      detail:
        `the provider ${provider} has been paying this order since ${isoOf(since)}; ` +
        'override only when the provider will not pay',
    },
  })
}

function notOpen(status: WithdrawalStatus): Fault {
  return new Fault('conflict', 'withdrawal_not_open', 'withdrawal not open', {
    extra: {
      detail: `the order is ${status}; only orders in payout_processing or needs_attention can be settled or failed`,
    },
  })
}
