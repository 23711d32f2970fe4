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
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Purchase } from '../ports/repository/billing.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { Page } from '../ports/repository/page.ts'
import type { Rows, Store } from '../ports/store.ts'
import type { Invoices } from './invoice.ts'

/** Expiry of an invoice for a plan, in seconds. Late payments count as for any invoice. */
const PAYMENT_SECS = 3_600

export interface Billing {
  /** Whether plans can be bought. */
  readonly configured: boolean
  /** In configured order. */
  readonly plans: readonly Plan[]
  /**
   * Creates an invoice that buys one period of a plan when it is paid.
   * @param idempotencyKey a repeated key returns the first invoice
   * @throws Fault `billing_not_configured`, `unknown_plan`, `plan_never_ends`, `too_many_orders`,
   * `idempotency_key_reused`
   */
  subscribe(account: Account, plan: string, idempotencyKey?: string): Promise<Invoice>
  /** Paid and unpaid purchases of the account with their invoices, newest first. */
  purchases(account: Account, page: Page): Promise<BoughtPeriod[]>
  /** Grants the purchased period in the transaction in which its invoice becomes paid. Repeated calls have no effect. */
  settle(tx: Rows, invoice: Invoice): Promise<void>
  /** Number of paid purchases, across all accounts, that could not be granted. */
  waiting(): Promise<number>
  /**
   * Moves accounts with an ended plan to Free. Returns the number of due accounts. Does nothing while the clock and the
   * newest blocks are hours apart, so that a wrong clock does not end a paid plan.
   */
  lapseDue(limit: number): Promise<number>
  /** Queues one reminder mail for each plan that ends soon. Returns the number of due accounts. */
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
  /** The account that receives the payments; null: plans are not sold. */
  readonly operator: Account | null
  readonly log: Log
}): Billing {
  const { store, clock, params, plans, invoices, operator, log } = deps

  /** Moves the account to Free and adds the event. */
  async function expirePlan(tx: Rows, account: Account, now: number): Promise<Account> {
    const free = { plan: FREE_PLAN, planExpiresAt: null }
    await assignPlan(tx, account, free, now)
    return { ...account, ...free }
  }

  async function assignPlan(tx: Rows, account: Account, assignment: Holding, now: number): Promise<void> {
    await tx.accounts.setPlan(account.id, assignment.plan, assignment.planExpiresAt)
    await tx.events.append([planUpdated(account.id, assignment, now)])
    tx.wake('events')
  }

  async function grantPurchase(tx: Rows, purchase: Purchase, now: number): Promise<void> {
    const buyer = await tx.accounts.lock(purchase.accountId)
    if (!buyer) throw new Error('the account of a plan purchase does not exist')
    const current = hasRunOut(buyer, now) ? await expirePlan(tx, buyer, now) : buyer
    const assignment = afterPurchase(plans, current, purchase, now)
    if (assignment) await assignPlan(tx, current, assignment, now)
    else log.warn({ account: buyer.publicId, plan: purchase.plan }, 'a paid plan could not be granted')
    await tx.billing.settle(purchase.invoiceId, {
      status: assignment ? 'granted' : 'needs_attention',
      settledAt: now,
      runsUntil: assignment?.planExpiresAt ?? null,
    })
  }

  /** Locks each account in one transaction. Accounts may no longer be due, so `work` must check again. */
  async function forEachLocked(ids: readonly number[], work: (tx: Rows, account: Account) => Promise<void>) {
    if (ids.length === 0) return
    await store.write(async tx => {
      for (const id of ids.toSorted((a, b) => a - b)) {
        const account = await tx.accounts.lock(id)
        if (account) await work(tx, account)
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
      const terms = { purpose: 'plan', amountZat: plan.priceZat, expiresInSecs: PAYMENT_SECS, once } as const
      return invoices.issue(operator, terms, async (tx, { id: invoiceId, createdAt }) => {
        checkPace(await tx.billing.list(account.id, { limit: PACE.most }), createdAt)
        await tx.billing.insert({ ...sold, invoiceId, accountId: account.id, createdAt })
      })
    },

    purchases: (account, page) =>
      store.read(async tx => {
        const purchases = await tx.billing.list(account.id, page)
        const found = await tx.invoices.byIds(purchases.map(purchase => purchase.invoiceId))
        const invoices = new Map(found.map(invoice => [invoice.id, invoice]))
        return purchases.flatMap(purchase => {
          const invoice = invoices.get(purchase.invoiceId)
          return invoice ? [{ purchase, invoice }] : []
        })
      }),

    async settle(tx, invoice) {
      if (invoice.status !== 'paid') return
      const purchase = await tx.billing.byInvoice(invoice.id)
      if (purchase?.status === 'open') await grantPurchase(tx, purchase, nowSecs(clock))
    },

    waiting: () => store.glance(tx => tx.billing.countNeedingAttention()),

    async lapseDue(limit) {
      const now = nowSecs(clock)
      const due = await store.read(async tx => {
        const ended = await tx.billing.ended(now, limit)
        if (ended.length === 0) return []
        return clockAgrees(chainTime(params, await tx.chain.newest(MEDIAN_BLOCKS), now)) ? ended : []
      })
      await forEachLocked(due, async (tx, account) => {
        if (hasRunOut(account, now)) await expirePlan(tx, account, now)
      })
      return due.length
    },

    async announceDue(limit) {
      const now = nowSecs(clock)
      const until = now + RENEWAL_NOTICE_SECS
      const due = await store.glance(tx => tx.billing.unannounced(now, until, limit))
      await forEachLocked(due, async (tx, { id, email, plan, planExpiresAt }) => {
        if (planExpiresAt === null || planExpiresAt > until) return
        if (!(await tx.billing.announce(id, planExpiresAt))) return
        await tx.mails.append(planEnds({ email }, plan, planExpiresAt, now))
      })
      return due.length
    },
  }
}

function planNeverEnds(plan: Plan): Fault {
  return new Fault('conflict', 'plan_never_ends', 'plan never ends', {
    extra: { detail: `the ${plan.name} plan of this account has no end date, so it cannot be renewed` },
  })
}
