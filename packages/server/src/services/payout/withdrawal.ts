import type { Account } from '../../domain/account/account.ts'
import { type Actor, SERVICE } from '../../domain/account/audit.ts'
import { billingNotConfiguredError } from '../../domain/account/plan.ts'
import { HEADERS_KEPT } from '../../domain/chain/chain.ts'
import { blockSpacingSecs, type ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import { AppError, invalidField } from '../../domain/error.ts'
import type { Zat } from '../../domain/money.ts'
import { checkOrderRateLimit, ORDER_RATE_LIMIT } from '../../domain/order-rate-limit.ts'
import {
  depositCutoff,
  describeOrder,
  fiatAmount,
  IllegalStepError,
  MAX_PAYOUT_TO_CHARS,
  maskPayoutTo,
  payoutSealContext,
  statusAfter,
} from '../../domain/payout/withdrawal.ts'
import { currencyDecimals } from '../../domain/rate.ts'
import { type Invoice, isClosed } from '../../domain/sale/invoice.ts'
import { requirePrintableLine } from '../../domain/text.ts'
import { formatIso } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Random } from '../../ports/random.ts'
import type { Rates } from '../../ports/rate.ts'
import type { Page } from '../../ports/repository/page.ts'
import type { Withdrawal } from '../../ports/repository/payout/withdrawal.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Vault } from '../../ports/vault.ts'
import { recordChange } from '../account/audit.ts'
import { findReplay, type IdempotencyRequest } from '../idempotency.ts'
import { findByPublicId } from '../public-id.ts'
import type { Invoices } from '../sale/invoice.ts'
import { invoiceOf, withInvoices } from '../with-invoice.ts'
import { lockWithdrawal, type TransitionWithdrawal } from './withdrawal-transition.ts'

export interface WithdrawalRequest {
  readonly amountZat: Zat
  /** ISO 4217. */
  readonly fiatCurrency: string
  /** 1 to 512 characters: payout details such as an account number or a name. */
  readonly payoutTo: string
  /** 1 to 255 printable characters. */
  readonly idempotencyKey: string | undefined
}

/** A withdrawal with the invoice for its deposit. */
export interface WithdrawalWithInvoice {
  readonly withdrawal: Withdrawal
  readonly invoice: Invoice
  /** Payout details with all but a recognisable part hidden. */
  readonly maskedPayoutTo: string
}

export interface Withdrawals {
  /** Whether withdrawals are offered. */
  readonly configured: boolean
  /** Supported currencies; ISO 4217. */
  readonly currencies: readonly string[]
  /** The operator's spread in basis points. */
  readonly spreadBps: number
  /**
   * Creates an order at the current rate, which is valid until the deposit address expires. A repeated idempotency key
   * returns the first order.
   * @param hasCode whether a code was entered recently in this browser
   * @throws AppError `billing_not_configured`, `invalid_fiat_currency`, `invalid_payout_to`, `invalid_amount_zat`,
   * `rate_unavailable`, `too_many_orders`, `idempotency_key_reused`
   */
  create(account: Account, request: WithdrawalRequest, actor?: Actor, hasCode?: boolean): Promise<WithdrawalWithInvoice>
  /** @throws AppError `no_such_withdrawal` */
  read(account: Account, id: string): Promise<WithdrawalWithInvoice>
  /** Newest first. */
  list(account: Account, page: Page): Promise<WithdrawalWithInvoice[]>
  /** @throws AppError `no_such_withdrawal`, `withdrawal_not_cancelable` once any part of the deposit has arrived */
  cancel(account: Account, id: string, actor?: Actor): Promise<WithdrawalWithInvoice>
  /** Applies payments to the deposit address in the transaction in which the invoice changes. */
  applyPayment(tx: Tx, invoice: Invoice): Promise<void>
}

export interface WithdrawalTerms {
  readonly currencies: readonly string[]
  /** The operator's spread in basis points. */
  readonly spreadBps: number
  /** Validity of the rate and of the deposit address, in seconds. */
  readonly expiresInSecs: number
}

export function createWithdrawals(deps: {
  readonly store: Store
  readonly transitionWithdrawal: TransitionWithdrawal
  readonly clock: Clock
  readonly random: Random
  readonly vault: Vault
  readonly keyedHash: KeyedHash
  readonly rates: Rates
  readonly invoices: Pick<Invoices, 'createInternal'>
  /** The account whose viewing key receives deposits; null: withdrawals are not offered. */
  readonly operator: Account | null
  readonly params: ConsensusParams
  readonly terms: WithdrawalTerms
}): Withdrawals {
  const { store, transitionWithdrawal, clock, random, vault, keyedHash, rates, invoices, operator, params, terms } =
    deps

  async function cancelOrRefuse(tx: Tx, withdrawal: Withdrawal, now: number): Promise<Withdrawal> {
    try {
      return await transitionWithdrawal(tx, withdrawal, { step: 'cancel' }, {}, now)
    } catch (error) {
      if (!(error instanceof IllegalStepError)) throw error
      const detail =
        withdrawal.status === 'awaiting_deposit'
          ? 'part of the deposit has arrived'
          : `the order is ${withdrawal.status}`
      throw new AppError('withdrawal_not_cancelable', { detail })
    }
  }

  function toOrder(withdrawal: Withdrawal, invoice: Invoice): WithdrawalWithInvoice {
    const payoutTo = vault.open(withdrawal.sealedPayoutTo, payoutSealContext(withdrawal.invoiceId))
    return { withdrawal, invoice, maskedPayoutTo: maskPayoutTo(Buffer.from(payoutTo).toString()) }
  }

  async function orderOf(tx: Tx, invoice: Invoice): Promise<WithdrawalWithInvoice> {
    const withdrawal = await tx.withdrawals.byInvoice(invoice.id)
    if (!withdrawal) throw new Error('the withdrawal of an invoice does not exist')
    return toOrder(withdrawal, invoice)
  }

  /** @throws AppError `rate_unavailable`; `invalid_amount_zat` when the amount rounds to zero in the currency */
  async function quote({ amountZat, fiatCurrency }: WithdrawalRequest) {
    const { price } = await rates.rate(fiatCurrency)
    const value = fiatAmount(amountZat, price, terms.spreadBps, currencyDecimals(fiatCurrency))
    if (/^[0.]+$/.test(value)) throw invalidField('amount_zat', `more than zero in ${fiatCurrency}`)
    return { rate: price, fiatAmount: value }
  }

  return {
    configured: operator !== null,
    currencies: terms.currencies,
    spreadBps: terms.spreadBps,

    async create(account, request, actor = SERVICE, hasCode = false) {
      if (!operator) throw billingNotConfiguredError()
      check(request, terms.currencies)
      const idempotency = idempotencyOf(account, request, keyedHash)
      // A repeat must return its order even while no exchange rate is available.
      const earlier = await findReplay(store, idempotency, nowSecs(clock))
      if (earlier) return store.read(tx => orderOf(tx, earlier))
      const quoteTerms = await quote(request)
      const { amountZat, fiatCurrency, payoutTo } = request
      const draft = { publicId: random.uuid(), accountId: account.id, amountZat, fiatCurrency, ...quoteTerms }
      const internalRequest = {
        purpose: 'withdrawal',
        amountZat,
        expiresInSecs: terms.expiresInSecs,
        idempotency,
      } as const
      const { invoice, recorded } = await invoices.createInternal(
        operator,
        internalRequest,
        async (tx, { id: invoiceId, createdAt }) => {
          const latest = await tx.withdrawals.list(account.id, { limit: ORDER_RATE_LIMIT.maxWithCode })
          checkOrderRateLimit(latest, createdAt, hasCode)
          const sealedPayoutTo = vault.seal(Buffer.from(payoutTo), payoutSealContext(invoiceId))
          const withdrawal = await tx.withdrawals.insert({ ...draft, invoiceId, sealedPayoutTo, createdAt })
          await recordChange(tx, account, actor, {
            kind: 'withdrawal_created',
            at: createdAt,
            detail: describeOrder(draft),
          })
          return withdrawal
        },
      )
      if (!recorded) return store.read(tx => orderOf(tx, invoice))
      return { withdrawal: recorded, invoice, maskedPayoutTo: maskPayoutTo(payoutTo) }
    },

    read: (account, id) =>
      store.read(async tx => {
        const withdrawal = await find(tx, account, id)
        return toOrder(withdrawal, await invoiceOf(tx, withdrawal))
      }),

    list: (account, page) =>
      store.read(async tx => {
        const withdrawals = await withInvoices(tx, await tx.withdrawals.list(account.id, page))
        return withdrawals.map(([withdrawal, invoice]) => toOrder(withdrawal, invoice))
      }),

    async cancel(account, id, actor = SERVICE) {
      const now = nowSecs(clock)
      return store.write(async tx => {
        const { invoiceId } = await find(tx, account, id)
        const { withdrawal, invoice } = await lockWithdrawal(tx, invoiceId)
        const canceled = await cancelOrRefuse(tx, withdrawal, now)
        if (canceled.status !== withdrawal.status)
          await recordChange(tx, account, actor, {
            kind: 'withdrawal_canceled',
            at: now,
            detail: describeOrder(withdrawal),
          })
        return toOrder(canceled, invoice)
      })
    },

    async applyPayment(tx, invoice) {
      const withdrawal = await tx.withdrawals.byInvoice(invoice.id)
      if (!withdrawal) return
      const deposit = depositStep(invoice)
      const becomesDue =
        withdrawal.status !== 'payout_processing' && statusAfter(withdrawal, deposit) === 'payout_processing'
      const reason = becomesDue ? await findLate(tx, invoice, params) : null
      const changes = { receivedZat: invoice.receivedZat, ...(reason !== null && { reason }) }
      await transitionWithdrawal(tx, withdrawal, { ...deposit, late: reason !== null }, changes, nowSecs(clock))
    },
  }
}

function check({ fiatCurrency, payoutTo }: WithdrawalRequest, currencies: readonly string[]): void {
  if (!currencies.includes(fiatCurrency)) throw invalidField('fiat_currency', `one of ${currencies.join(', ')}`)
  requirePrintableLine('payout_to', payoutTo, MAX_PAYOUT_TO_CHARS)
}

/** The hash of the payout details is keyed, because bank account numbers can be enumerated. */
function idempotencyOf(account: Account, request: WithdrawalRequest, keyedHash: KeyedHash): IdempotencyRequest | null {
  const { amountZat, fiatCurrency, payoutTo, idempotencyKey } = request
  if (idempotencyKey === undefined) return null
  const [body, ...earlierBodies] = keyedHash.allHashes('payout', payoutTo).map(hash => {
    return JSON.stringify(['withdrawal', amountZat.toString(), fiatCurrency, Buffer.from(hash).toString('hex')])
  })
  return { accountId: account.id, key: idempotencyKey, body: body!, earlierBodies }
}

function find(tx: Tx, account: Account, id: string): Promise<Withdrawal> {
  return findByPublicId('no_such_withdrawal', id, publicId => tx.withdrawals.byPublicId(publicId, account.id))
}

/** A paid invoice stays paid when a reorganisation removes its payments. It must not start a payout. */
function depositStep({ receivedZat, status, needsAttention }: Invoice) {
  const confirmed = status === 'paid' && !needsAttention
  return { step: 'deposit', receivedZat, confirmed, closed: isClosed(status), late: false } as const
}

/**
 * The reason why a confirmed deposit is too late for the order's rate; null when all its payments are in time. A mined
 * payment has the time of its block. If the block header is no longer stored, the payment is late. An unmined payment,
 * which counts when the operator requires no confirmations, has the time when it was first seen.
 */
async function findLate(tx: Tx, { id, expiresAt }: Invoice, params: ConsensusParams): Promise<string | null> {
  const cutoffAt = (height: number) => depositCutoff(expiresAt, blockSpacingSecs(params, height))
  const late = (event: string) => `deposit ${event}, rate valid until ${formatIso(expiresAt)}`
  const seenAt = await tx.payments.latestUnminedSeenAt(id)
  if (seenAt !== null && seenAt > cutoffAt((await tx.chain.tip())?.height ?? 0))
    return late(`seen late: unmined at ${formatIso(seenAt)}`)
  // The newest block is most likely to be late. Checking it first reads few headers. No block below them has a header.
  for (const height of await tx.payments.heightsOf(id, HEADERS_KEPT + 2)) {
    const header = await tx.chain.headerAt(height)
    if (!header) return late(`mined late: the time of block ${height} is no longer known`)
    if (header.time > cutoffAt(height)) return late(`mined late: block ${height} at ${formatIso(header.time)}`)
  }
  return null
}
