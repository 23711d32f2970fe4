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
import type { Payout } from '../ports/payout-provider.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { Paying, Withdrawal } from '../ports/repository/withdrawal.ts'
import type { Clock, Log, PayoutProvider, Rows, Store, Vault } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import { move } from './withdrawal-transition.ts'

/** An order as the desk sees it. */
export interface DeskOrder {
  readonly withdrawal: Withdrawal
  /** Where to pay to, in full. */
  readonly payoutTo: string
}

/** The other side of withdrawals: those who pay out. */
export interface Payouts {
  /** Orders of all accounts, newest first. Default: every status. */
  list(limit: number, statuses?: readonly WithdrawalStatus[]): Promise<DeskOrder[]>
  /** @throws Fault `no_such_withdrawal` */
  read(id: string): Promise<DeskOrder>
  /**
   * The operator has paid out.
   * @throws Fault `no_such_withdrawal`, `invalid_reference`, `withdrawal_not_open`, `payout_in_progress`,
   * `deposit_not_confirmed` while coins of the deposit may still vanish
   */
  settle(id: string, reference: string, options?: CloseOptions): Promise<DeskOrder>
  /**
   * The operator will not pay out.
   * @throws Fault `no_such_withdrawal`, `invalid_reason`, `withdrawal_not_open`, `payout_in_progress`
   */
  fail(id: string, reason: string, options?: CloseOptions): Promise<DeskOrder>
  /** Orders that wait for the operator: to be paid out, and to be looked at. */
  waiting(): Promise<{ readonly payouts: number; readonly withdrawals: number }>
  /**
   * Hands orders that are due to the provider, and writes down what it says; how many were due. An order is claimed in
   * a transaction of its own right before the provider is called. From then on, and through a crash, it counts as being
   * paid until the provider says how it ended, or that a person pays it (`by_hand`).
   */
  payDue(limit: number): Promise<number>
}

export interface CloseOptions {
  /** Closes an order that a provider is paying, which is refused otherwise: the provider will not pay it. */
  readonly override?: boolean | undefined
}

/** How a provider's answer fits the order when it is written down. */
type Fit = 'applied' | 'late' | 'paid_after_close'

/** For so long an order is this caller's; who takes longer to answer is asked again. */
const LEASE_SECS = 120
/** After a provider's fault. */
const RETRY_SECS = 60
const MAX_ASK_AGAIN_SECS = 86_400

export function createPayouts(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly vault: Vault
  readonly provider: PayoutProvider
  readonly log: Log
}): Payouts {
  const { store, clock, vault, provider, log } = deps

  function deskOrder(withdrawal: Withdrawal): DeskOrder {
    const payoutTo = vault.open(withdrawal.sealedPayoutTo, payoutPlace(withdrawal.invoiceId))
    return { withdrawal, payoutTo: Buffer.from(payoutTo).toString() }
  }

  /**
   * Ends an order, at what the chain has shown so far: only more than that will be news. An order that more coins
   * opened again keeps what was said when it was closed before.
   */
  function close(
    rows: Rows,
    withdrawal: Withdrawal,
    step: 'settle' | 'fail',
    note: Partial<Note>,
    closedBy: ClosedBy,
  ): Promise<Withdrawal> {
    const notes = {
      reference: joined(withdrawal.reference, note.reference),
      reason: joined(withdrawal.reason, note.reason),
    }
    const learnt = { ...notes, closedAtZat: withdrawal.receivedZat, paying: null, closedBy }
    return move(rows, withdrawal, { step }, learnt, nowSecs(clock))
  }

  function closeByHand(
    id: string,
    step: 'settle' | 'fail',
    note: Partial<Note>,
    { override = false }: CloseOptions = {},
  ): Promise<DeskOrder> {
    return store.write(async rows => {
      const { withdrawal, invoice } = await hold(rows, (await find(rows, id)).invoiceId)
      if (withdrawal.paying && !override) throw payoutInProgress(withdrawal.paying)
      try {
        const closed = await close(rows, withdrawal, step, note, 'operator')
        if (step === 'settle' && (await mayVanish(rows, invoice))) throw depositNotConfirmed(invoice)
        return deskOrder(closed)
      } catch (error) {
        throw error instanceof IllegalStep ? notOpen(withdrawal.status) : error
      }
    })
  }

  async function pay(withdrawal: Withdrawal): Promise<void> {
    const { publicId: id, amountZat, fiatCurrency, fiatAmount } = withdrawal
    const order = id.slice(0, 8)
    try {
      const { payoutTo } = deskOrder(withdrawal)
      const payout = await provider.pay({ id, amountZat, fiatCurrency, fiatAmount, payoutTo })
      const fit = await store.write(rows => heed(rows, withdrawal.invoiceId, payout))
      const details = { order, provider: provider.name, state: payout.state }
      if (fit === 'applied') log.info(details, 'a withdrawal was handed to the payout provider')
      else if (fit === 'late') log.warn(details, 'the answer of the payout provider came after its order had changed')
      else
        log.warn(
          details,
          'the payout provider paid an order that was already closed: the merchant may have been paid twice',
        )
    } catch (err) {
      log.error(
        { order, provider: provider.name, err },
        'a payout was not made, or not noted; the provider will be asked again',
      )
      await store.write(rows => postpone(rows, withdrawal.invoiceId))
    }
  }

  /**
   * What the provider says ends an order only while it is the provider's. Of one that has changed meanwhile (more coins
   * came, the operator closed it) it is kept as a note, and a person looks.
   */
  async function heed(rows: Rows, invoiceId: number, payout: Payout): Promise<Fit> {
    const { withdrawal } = await hold(rows, invoiceId)
    if (withdrawal.status !== 'payout_processing') return applyLate(rows, withdrawal, payout)
    const note = noteOf(payout)
    const now = nowSecs(clock)
    switch (payout.state) {
      case 'by_hand':
        await rows.withdrawals.record(invoiceId, { ...withdrawal, payoutDueAt: null, paying: null })
        break
      case 'processing': {
        const pauseSecs = Math.min(Math.max(payout.askAgainSecs, 1), MAX_ASK_AGAIN_SECS)
        const paying = withdrawal.paying ?? { provider: provider.name, since: now }
        await rows.withdrawals.record(invoiceId, { ...withdrawal, payoutDueAt: now + pauseSecs, paying })
        break
      }
      case 'paid':
        await close(rows, withdrawal, 'settle', note, 'provider')
        break
      case 'failed':
        await close(rows, withdrawal, 'fail', note, 'provider')
        break
    }
    return 'applied'
  }

  /**
   * An answer never changes an order that is closed, with one exception: a payout of an order that the operator closed,
   * or that failed, needs attention. A second report of the payout that completed the order is no news.
   */
  async function applyLate(rows: Rows, withdrawal: Withdrawal, payout: Payout): Promise<Fit> {
    const note = noteOf(payout)
    const { invoiceId, status, closedBy } = withdrawal
    const paying = payout.state === 'processing' ? withdrawal.paying : null
    if (payout.state !== 'paid' || (status !== 'failed' && closedBy !== 'operator')) {
      await rows.withdrawals.record(invoiceId, { ...withdrawal, ...absent(withdrawal, note), paying })
      return status === 'completed' && payout.state === 'paid' ? 'applied' : 'late'
    }
    const learnt = {
      reference: joined(withdrawal.reference, note.reference),
      reason: joined(withdrawal.reason, `paid by the provider ${provider.name} after the order was closed`),
      paying,
    }
    if (status === 'needs_attention') await rows.withdrawals.record(invoiceId, { ...withdrawal, ...learnt })
    else await move(rows, withdrawal, { step: 'paid_after_close' }, learnt, nowSecs(clock))
    return 'paid_after_close'
  }

  async function postpone(rows: Rows, invoiceId: number): Promise<void> {
    const { withdrawal } = await hold(rows, invoiceId)
    if (withdrawal.status !== 'payout_processing') return
    await rows.withdrawals.record(invoiceId, { ...withdrawal, payoutDueAt: nowSecs(clock) + RETRY_SECS })
  }

  return {
    list: async (limit, statuses = WITHDRAWAL_STATUSES) =>
      (await store.read(rows => rows.withdrawals.listIn(statuses, limit))).map(deskOrder),

    read: async id => deskOrder(await store.read(rows => find(rows, id))),

    async settle(id, reference, options) {
      checkNote('reference', reference)
      return closeByHand(id, 'settle', { reference }, options)
    },

    async fail(id, reason, options) {
      checkNote('reason', reason)
      return closeByHand(id, 'fail', { reason }, options)
    },

    waiting: () =>
      store.read(async rows => ({
        payouts: await rows.withdrawals.countIn('payout_processing'),
        withdrawals: await rows.withdrawals.countIn('needs_attention'),
      })),

    async payDue(limit) {
      for (let handed = 0; handed < limit; handed++) {
        const now = nowSecs(clock)
        const [due] = await store.write(rows => rows.withdrawals.claimPayouts(provider.name, now, now + LEASE_SECS, 1))
        if (!due) return handed
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

/** Of a note, what the order has nothing of yet: the operator's own words stay. */
function absent({ reference, reason }: Note, note: Partial<Note>): Note {
  return { reference: reference ?? note.reference ?? null, reason: reason ?? note.reason ?? null }
}

function joined(earlier: string | null, said: string | null = null): string | null {
  return earlier !== null && said !== null ? `${earlier}; ${said}` : (said ?? earlier)
}

/** The withdrawal for change, its invoice first, as everyone holds them. */
async function hold(rows: Rows, invoiceId: number): Promise<{ withdrawal: Withdrawal; invoice: Invoice }> {
  const [invoice] = await rows.invoices.lock([invoiceId])
  const withdrawal = await rows.withdrawals.lock(invoiceId)
  if (!invoice || !withdrawal) throw noSuch('withdrawal')
  return { withdrawal, invoice }
}

/** Whether any of the coins that came has fewer confirmations than the order asks for. */
async function mayVanish(rows: Rows, { id, confirmations }: Invoice): Promise<boolean> {
  const tip = (await rows.chain.tip())?.height ?? 0
  const payments = await rows.payments.ofInvoices([id])
  return payments.some(({ place }) => place.at !== 'dropped' && confirmationsOf(place, tip) < confirmations)
}

async function find(rows: Rows, id: string): Promise<Withdrawal> {
  const withdrawal = isUuid(id) ? await rows.withdrawals.byPublicId(id.toLowerCase()) : null
  if (!withdrawal) throw noSuch('withdrawal')
  return withdrawal
}

function checkNote(field: 'reference' | 'reason', text: string): void {
  if (text.trim() === '' || text.length > NOTE_CHARS || /\p{Cc}/u.test(text))
    throw invalidField(field, `1 to ${NOTE_CHARS} printable characters`)
}

function depositNotConfirmed({ confirmations }: Invoice): Fault {
  return new Fault('conflict', 'deposit_not_confirmed', 'deposit not confirmed', {
    extra: { detail: `not every coin of it has ${confirmations} confirmations yet: pay out later, or fail the order` },
  })
}

function payoutInProgress({ provider, since }: Paying): Fault {
  return new Fault('conflict', 'payout_in_progress', 'payout in progress', {
    extra: {
      detail:
        `the provider ${provider} has been paying it since ${isoOf(since)}; ` +
        'override this only when the provider will not pay',
    },
  })
}

function notOpen(status: WithdrawalStatus): Fault {
  return new Fault('conflict', 'withdrawal_not_open', 'withdrawal not open', {
    extra: { detail: `it is ${status}; only one in payout_processing or needs_attention can be settled or failed` },
  })
}
