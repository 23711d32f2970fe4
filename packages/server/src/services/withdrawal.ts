import type { Account } from '../domain/account.ts'
import { Fault, invalidField, noSuch } from '../domain/error.ts'
import { isClosed } from '../domain/invoice.ts'
import type { Zat } from '../domain/money.ts'
import { blockSpacingSecs, type ConsensusParams } from '../domain/network-upgrade.ts'
import { checkPace, PACE } from '../domain/order-rate-limit.ts'
import { billingNotConfigured } from '../domain/plan.ts'
import { decimalsOf } from '../domain/rate.ts'
import { isoOf } from '../domain/time.ts'
import { isUuid } from '../domain/uuid.ts'
import {
  after,
  depositCutoff,
  fiatAmount,
  IllegalStep,
  maskPayout,
  PAYOUT_TO_CHARS,
  payoutPlace,
} from '../domain/withdrawal.ts'
import type { Page } from '../ports/repository/account.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { Withdrawal } from '../ports/repository/withdrawal.ts'
import type { Clock, KeyedHash, Random, Rates, Rows, Store, Vault } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { Invoices } from './invoice.ts'
import { move } from './withdrawal-transition.ts'

export interface WithdrawalRequest {
  readonly amountZat: Zat
  /** ISO 4217. */
  readonly fiatCurrency: string
  /** 1 to 512 characters: an account number, a name, whatever the desk pays to. */
  readonly payoutTo: string
  /** 1 to 255 printable characters. */
  readonly idempotencyKey: string | undefined
}

/** An order with the invoice that takes its deposit. */
export interface Ordered {
  readonly withdrawal: Withdrawal
  readonly invoice: Invoice
  /** Enough of it to know it by, and no more. */
  readonly maskedPayoutTo: string
}

export interface Withdrawals {
  /** Whether orders are taken at all. */
  readonly configured: boolean
  /** The currencies that orders may ask for; ISO 4217. */
  readonly currencies: readonly string[]
  /** Hundredths of a percent that the desk keeps. */
  readonly spreadBps: number
  /**
   * An order at the rate of now, which holds until its deposit address expires. A repeated idempotency key brings back
   * the order made first.
   * @throws Fault `billing_not_configured`, `invalid_fiat_currency`, `invalid_payout_to`, `invalid_amount_zat`,
   * `rate_unavailable`, `too_many_orders`, `idempotency_key_reused`
   */
  create(account: Account, request: WithdrawalRequest): Promise<Ordered>
  /** @throws Fault `no_such_withdrawal` */
  read(account: Account, id: string): Promise<Ordered>
  /** Newest first. */
  list(account: Account, page: Page): Promise<Ordered[]>
  /** @throws Fault `no_such_withdrawal`, `withdrawal_not_cancelable` once there is a deposit, be it a part */
  cancel(account: Account, id: string): Promise<Ordered>
  /** What the chain shows at the deposit address, in the transaction in which its invoice changes. */
  settle(rows: Rows, invoice: Invoice): Promise<void>
}

export interface WithdrawalTerms {
  readonly currencies: readonly string[]
  /** Hundredths of a percent that the desk keeps. */
  readonly spreadBps: number
  /** How long a rate is held, and a deposit address open. */
  readonly expiresInSecs: number
}

export function createWithdrawals(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly vault: Vault
  readonly keyedHash: KeyedHash
  readonly rates: Rates
  readonly invoices: Pick<Invoices, 'issue' | 'issued'>
  /** Under whose viewing key deposits come in; null: no withdrawals. */
  readonly operator: Account | null
  readonly params: ConsensusParams
  readonly terms: WithdrawalTerms
}): Withdrawals {
  const { store, clock, random, vault, keyedHash, rates, invoices, operator, params, terms } = deps

  function ordered(withdrawal: Withdrawal, invoice: Invoice): Ordered {
    const payoutTo = vault.open(withdrawal.sealedPayoutTo, payoutPlace(withdrawal.invoiceId))
    return { withdrawal, invoice, maskedPayoutTo: maskPayout(Buffer.from(payoutTo).toString()) }
  }

  async function orderOf(rows: Rows, invoice: Invoice): Promise<Ordered> {
    const withdrawal = await rows.withdrawals.byInvoice(invoice.id)
    if (!withdrawal) throw new Error('an invoice for a withdrawal has none')
    return ordered(withdrawal, invoice)
  }

  /** @throws Fault when the amount is not worth the least that the currency can pay */
  async function quote({ amountZat, fiatCurrency }: WithdrawalRequest) {
    const { price } = await rates.rate(fiatCurrency)
    const worth = fiatAmount(amountZat, price, terms.spreadBps, decimalsOf(fiatCurrency))
    if (/^[0.]+$/.test(worth)) throw invalidField('amount_zat', `worth more than nothing in ${fiatCurrency}`)
    return { rate: price, fiatAmount: worth }
  }

  return {
    configured: operator !== null,
    currencies: terms.currencies,
    spreadBps: terms.spreadBps,

    async create(account, request) {
      if (!operator) throw billingNotConfigured()
      check(request, terms.currencies)
      const once = onceOf(account, request, keyedHash)
      const earlier = once && (await invoices.issued(once))
      if (earlier) return store.read(rows => orderOf(rows, earlier))

      const quoted = await quote(request)
      const { amountZat, fiatCurrency, payoutTo } = request
      const draft = { publicId: random.uuid(), accountId: account.id, amountZat, fiatCurrency, ...quoted }
      const own = { purpose: 'withdrawal', amountZat, expiresInSecs: terms.expiresInSecs, once } as const
      const invoice = await invoices.issue(operator, own, async (rows, { id: invoiceId, createdAt }) => {
        checkPace(await rows.withdrawals.list(account.id, { limit: PACE.most }), createdAt)
        const sealedPayoutTo = vault.seal(Buffer.from(payoutTo), payoutPlace(invoiceId))
        await rows.withdrawals.insert({ ...draft, invoiceId, sealedPayoutTo, createdAt })
      })
      return store.read(rows => orderOf(rows, invoice))
    },

    read: (account, id) =>
      store.read(async rows => {
        const withdrawal = await find(rows, account, id)
        const [invoice] = await rows.invoices.byIds([withdrawal.invoiceId])
        if (!invoice) throw new Error('a withdrawal has no invoice')
        return ordered(withdrawal, invoice)
      }),

    list: (account, page) =>
      store.read(async rows => {
        const withdrawals = await rows.withdrawals.list(account.id, page)
        const found = await rows.invoices.byIds(withdrawals.map(({ invoiceId }) => invoiceId))
        const byId = new Map(found.map(invoice => [invoice.id, invoice]))
        return withdrawals.flatMap(withdrawal => {
          const invoice = byId.get(withdrawal.invoiceId)
          return invoice ? [ordered(withdrawal, invoice)] : []
        })
      }),

    async cancel(account, id) {
      const now = nowSecs(clock)
      return store.write(async rows => {
        const { invoiceId } = await find(rows, account, id)
        const [invoice] = await rows.invoices.lock([invoiceId])
        const withdrawal = await rows.withdrawals.lock(invoiceId)
        if (!invoice || !withdrawal) throw noSuch('withdrawal')
        return ordered(await cancelOrRefuse(rows, withdrawal, now), invoice)
      })
    },

    async settle(rows, invoice) {
      const withdrawal = await rows.withdrawals.lock(invoice.id)
      if (!withdrawal) return
      const deposit = depositStep(invoice)
      const starts = withdrawal.status !== 'payout_processing' && after(withdrawal, deposit) === 'payout_processing'
      const reason = starts ? await findLate(rows, invoice, params) : null
      const learnt = { receivedZat: invoice.receivedZat, ...(reason !== null && { reason }) }
      await move(rows, withdrawal, { ...deposit, late: reason !== null }, learnt, nowSecs(clock))
    },
  }
}

function check({ fiatCurrency, payoutTo }: WithdrawalRequest, currencies: readonly string[]): void {
  if (!currencies.includes(fiatCurrency)) throw invalidField('fiat_currency', `one of ${currencies.join(', ')}`)
  if (payoutTo.trim() === '' || payoutTo.length > PAYOUT_TO_CHARS || /\p{Cc}/u.test(payoutTo))
    throw invalidField('payout_to', `1 to ${PAYOUT_TO_CHARS} printable characters`)
}

/** Bank accounts are few enough to try them all against a plain hash: theirs is keyed. */
function onceOf(account: Account, request: WithdrawalRequest, keyedHash: KeyedHash) {
  const { amountZat, fiatCurrency, payoutTo, idempotencyKey } = request
  if (idempotencyKey === undefined) return null
  const payout = Buffer.from(keyedHash.hash('payout', payoutTo)).toString('hex')
  const body = JSON.stringify(['withdrawal', amountZat.toString(), fiatCurrency, payout])
  return { accountId: account.id, key: idempotencyKey, body }
}

async function find(rows: Rows, account: Account, id: string): Promise<Withdrawal> {
  const withdrawal = isUuid(id) ? await rows.withdrawals.byPublicId(id.toLowerCase(), account.id) : null
  if (!withdrawal) throw noSuch('withdrawal')
  return withdrawal
}

/** A paid invoice whose payments a reorganisation took back stays paid; a payout must not build on it. */
function depositStep({ receivedZat, status, needsAttention }: Invoice) {
  const confirmed = status === 'paid' && !needsAttention
  return { step: 'deposit', receivedZat, confirmed, closed: isClosed(status), late: false } as const
}

/**
 * Why a confirmed deposit is too late for the order's rate; null when every payment of it is in time. A mined payment
 * counts from the time of its block. A header that is no longer remembered makes the payment late. A payment that is
 * not mined, where the operator asks for no confirmations, counts from when it was first seen.
 */
async function findLate(rows: Rows, { id, expiresAt }: Invoice, params: ConsensusParams): Promise<string | null> {
  const cutoffAt = (height: number) => depositCutoff(expiresAt, blockSpacingSecs(params, height))
  const late = (what: string) => `deposit ${what}, rate held until ${isoOf(expiresAt)}`
  const heights = new Set<number>()
  for (const { place, seenAt } of await rows.payments.ofInvoices([id])) {
    if (place.at === 'mined') heights.add(place.height)
    else if (place.at === 'mempool' && seenAt > cutoffAt((await rows.chain.tip())?.height ?? 0))
      return late(`seen late: unmined at ${isoOf(seenAt)}`)
  }
  // The newest block first: it is the likeliest to be late, so that few headers are read.
  for (const height of [...heights].sort((a, b) => b - a)) {
    const header = await rows.chain.headerAt(height)
    if (!header) return late(`mined late: the time of block ${height} is no longer known`)
    if (header.time > cutoffAt(height)) return late(`mined late: block ${height} at ${isoOf(header.time)}`)
  }
  return null
}

async function cancelOrRefuse(rows: Rows, withdrawal: Withdrawal, now: number): Promise<Withdrawal> {
  try {
    return await move(rows, withdrawal, { step: 'cancel' }, {}, now)
  } catch (error) {
    if (!(error instanceof IllegalStep)) throw error
    const detail =
      withdrawal.status === 'awaiting_deposit' ? 'a part of the deposit is here' : `it is ${withdrawal.status}`
    throw new Fault('conflict', 'withdrawal_not_cancelable', 'withdrawal not cancelable', { extra: { detail } })
  }
}
