import type { Account } from '../domain/account.ts'
import { chainTime, clockAgrees, MEDIAN_BLOCKS } from '../domain/chain-time.ts'
import { planEnds } from '../domain/email-notification.ts'
import { Fault } from '../domain/error.ts'
import { planUpdated } from '../domain/event.ts'
import type { ConsensusParams } from '../domain/network-upgrade.ts'
import { checkPace, PACE } from '../domain/order-rate-limit.ts'
import {
  afterPurchase,
  billingNotConfigured,
  FREE_PLAN,
  findPlan,
  type Holding,
  hasRunOut,
  isForSale,
  type Plan,
  RENEWAL_NOTICE_SECS,
  unknownPlan,
} from '../domain/plan.ts'
import type { Page } from '../ports/repository/account.ts'
import type { Purchase } from '../ports/repository/billing.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { Clock, Log, Rows, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { Invoices } from './invoice.ts'

/** A buyer has this long to pay for a plan. What comes later counts too, as for any invoice. */
const PAY_SECS = 3_600

export interface Billing {
  /** Whether plans are sold at all. */
  readonly configured: boolean
  /** In the order of the list. */
  readonly plans: readonly Plan[]
  /**
   * An invoice that buys one period of a plan, once it is paid.
   * @param idempotencyKey a repeated one brings back the invoice made first
   * @throws Fault `billing_not_configured`, `unknown_plan`, `plan_never_ends`, `too_many_orders`,
   * `idempotency_key_reused`
   */
  subscribe(account: Account, plan: string, idempotencyKey?: string): Promise<Invoice>
  /** What the account has bought or begun to buy, newest first, each with its invoice. */
  purchases(account: Account, page: Page): Promise<BoughtPeriod[]>
  /** Gives what was bought, in the transaction in which its invoice becomes paid; once, however often it is told. */
  settle(rows: Rows, invoice: Invoice): Promise<void>
  /** Plans paid for that could not be given, of all accounts. */
  waiting(): Promise<number>
  /**
   * Puts accounts whose plan has ended back on Free; how many were due. None while the clock and the newest blocks are
   * hours apart: a plan that was paid for does not end by a wrong clock.
   */
  lapseDue(limit: number): Promise<number>
  /** Mails the owners of plans that end soon, once for each end; how many were due. */
  announceDue(limit: number): Promise<number>
}

export interface BoughtPeriod {
  readonly purchase: Purchase
  readonly invoice: Invoice
}

export function createBilling(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly params: ConsensusParams
  readonly plans: readonly Plan[]
  readonly invoices: Pick<Invoices, 'issue'>
  /** Who is paid; null: nothing is sold. */
  readonly operator: Account | null
  readonly log: Log
}): Billing {
  const { store, clock, params, plans, invoices, operator, log } = deps

  /** Free again, with its event. */
  async function lapse(rows: Rows, account: Account, now: number): Promise<Account> {
    const free = { plan: FREE_PLAN, planExpiresAt: null }
    await hold(rows, account, free, now)
    return { ...account, ...free }
  }

  async function hold(rows: Rows, account: Account, holding: Holding, now: number): Promise<void> {
    await rows.accounts.setPlan(account.id, holding.plan, holding.planExpiresAt)
    await rows.events.append([planUpdated(account.id, holding, now)])
    rows.wake('events')
  }

  async function grant(rows: Rows, purchase: Purchase, now: number): Promise<void> {
    const buyer = await rows.accounts.lock(purchase.accountId)
    if (!buyer) throw new Error('a plan was bought for an account that does not exist')
    const current = hasRunOut(buyer, now) ? await lapse(rows, buyer, now) : buyer
    const holding = afterPurchase(plans, current, purchase, now)
    if (holding) await hold(rows, current, holding, now)
    else log.warn({ account: buyer.publicId, plan: purchase.plan }, 'a plan was paid for that cannot be given')
    await rows.billing.settle(purchase.invoiceId, {
      status: holding ? 'granted' : 'needs_attention',
      settledAt: now,
      runsUntil: holding?.planExpiresAt ?? null,
    })
  }

  /** One transaction for all, each account held for change; those found due may no longer be. */
  async function forEachHeld(ids: readonly number[], work: (rows: Rows, account: Account) => Promise<void>) {
    if (ids.length === 0) return
    await store.write(async rows => {
      for (const id of ids.toSorted((a, b) => a - b)) {
        const account = await rows.accounts.lock(id)
        if (account) await work(rows, account)
      }
    })
  }

  return {
    configured: operator !== null,
    plans,

    async subscribe(account, name, idempotencyKey) {
      if (!operator) throw billingNotConfigured()
      const plan = findPlan(plans, name)
      if (!plan || !isForSale(plan)) throw unknownPlan(plans.filter(isForSale))
      const now = nowSecs(clock)
      const sold = { plan: plan.name, priceZat: plan.priceZat, periodDays: plan.periodDays }
      if (!afterPurchase(plans, account, sold, now)) throw planNeverEnds(plan)
      const once =
        idempotencyKey === undefined
          ? null
          : { accountId: account.id, key: idempotencyKey, body: JSON.stringify(['plan', name]) }
      const terms = { purpose: 'plan', amountZat: plan.priceZat, expiresInSecs: PAY_SECS, once } as const
      return invoices.issue(operator, terms, async (rows, { id: invoiceId, createdAt }) => {
        checkPace(await rows.billing.list(account.id, { limit: PACE.most }), createdAt)
        await rows.billing.insert({ ...sold, invoiceId, accountId: account.id, createdAt })
      })
    },

    purchases: (account, page) =>
      store.read(async rows => {
        const purchases = await rows.billing.list(account.id, page)
        const found = await rows.invoices.byIds(purchases.map(purchase => purchase.invoiceId))
        const invoices = new Map(found.map(invoice => [invoice.id, invoice]))
        return purchases.flatMap(purchase => {
          const invoice = invoices.get(purchase.invoiceId)
          return invoice ? [{ purchase, invoice }] : []
        })
      }),

    async settle(rows, invoice) {
      if (invoice.status !== 'paid') return
      const purchase = await rows.billing.byInvoice(invoice.id)
      if (purchase?.status === 'open') await grant(rows, purchase, nowSecs(clock))
    },

    waiting: () => store.glance(rows => rows.billing.countNeedingAttention()),

    async lapseDue(limit) {
      const now = nowSecs(clock)
      const due = await store.read(async rows => {
        const ended = await rows.billing.ended(now, limit)
        if (ended.length === 0) return []
        return clockAgrees(chainTime(params, await rows.chain.newest(MEDIAN_BLOCKS), now)) ? ended : []
      })
      await forEachHeld(due, async (rows, account) => {
        if (hasRunOut(account, now)) await lapse(rows, account, now)
      })
      return due.length
    },

    async announceDue(limit) {
      const now = nowSecs(clock)
      const until = now + RENEWAL_NOTICE_SECS
      const due = await store.glance(rows => rows.billing.unannounced(now, until, limit))
      await forEachHeld(due, async (rows, { id, email, plan, planExpiresAt }) => {
        if (planExpiresAt === null || planExpiresAt > until) return
        if (!(await rows.billing.announce(id, planExpiresAt))) return
        await rows.mails.append(planEnds({ email }, plan, planExpiresAt, now))
      })
      return due.length
    },
  }
}

function planNeverEnds(plan: Plan): Fault {
  return new Fault('conflict', 'plan_never_ends', 'plan never ends', {
    extra: { detail: `this account is on the ${plan.name} plan for ever: there is nothing to renew` },
  })
}
