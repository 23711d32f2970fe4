import type { Account } from '../../domain/account/account.ts'
import { requireNoDeletion } from '../../domain/account/account-deletion.ts'
import {
  assignmentAfterPurchase,
  billingNotConfiguredError,
  FREE_PLAN,
  findPlan,
  isForSale,
  isPlanExpired,
  type Plan,
  type PlanAssignment,
  RENEWAL_LEAD_SECS,
  unknownPlanError,
} from '../../domain/account/plan.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import { AppError } from '../../domain/error.ts'
import { renewalReminder } from '../../domain/notify/email-notification.ts'
import { planUpdatedEvent } from '../../domain/notify/event.ts'
import { checkOrderRateLimit, ORDER_RATE_LIMIT } from '../../domain/order-rate-limit.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { accountReference } from '../../domain/set-aside.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Purchase } from '../../ports/repository/account/billing.ts'
import type { Page } from '../../ports/repository/page.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { checkClock } from '../chain/clock-check.ts'
import type { Outbox } from '../notify/outbox.ts'
import { sameRow } from '../public-id.ts'
import type { Invoices } from '../sale/invoice.ts'
import type { SetAsides } from '../set-aside.ts'
import { withInvoices } from '../with-invoice.ts'
import { mailLimitOfNewPlan } from './plan-limit.ts'

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
   * @param hasCode whether a code was entered recently in this browser
   * @throws AppError `billing_not_configured`, `unknown_plan`, `plan_never_ends`, `too_many_orders`,
   * `idempotency_key_reused`
   */
  subscribe(account: Account, plan: string, idempotencyKey?: string, hasCode?: boolean): Promise<Invoice>
  /** Paid and unpaid purchases of the account with their invoices, newest first. */
  purchases(account: Account, page: Page): Promise<PurchaseWithInvoice[]>
  /** Grants the purchased period in the transaction in which its invoice becomes paid. Repeated calls have no effect. */
  applyPayment(tx: Tx, invoice: Invoice): Promise<void>
  /** Number of paid purchases, across all accounts, that could not be granted. */
  countNeedingAttention(): Promise<number>
  /**
   * Moves accounts with an ended plan to Free. Returns the number of due accounts. Does nothing while the clock and the
   * newest blocks are hours apart, so that a wrong clock does not end a paid plan.
   */
  expirePlans(limit: number): Promise<number>
  /** Queues one reminder mail for each plan that ends soon. Returns the number of due accounts. */
  sendRenewalReminders(limit: number): Promise<number>
  /** Tries again the accounts that are set aside. @returns whether there may be more */
  retrySetAside(): Promise<boolean>
}

export interface PurchaseWithInvoice {
  readonly purchase: Purchase
  readonly invoice: Invoice
}

type Due = Pick<Account, 'id' | 'publicId'>
type AccountWork = (tx: Tx, account: Account) => Promise<void>

export function createBilling(deps: {
  readonly store: Store
  readonly outbox: Outbox
  readonly clock: Clock
  readonly params: ConsensusParams
  readonly plans: readonly Plan[]
  readonly invoices: Pick<Invoices, 'createInternal'>
  /** The account that receives the payments; null: plans are not sold. */
  readonly operator: Account | null
  readonly log: Log
  readonly setAsides: SetAsides
}): Billing {
  const { store, outbox, clock, params, plans, invoices, operator, log, setAsides } = deps

  /** Moves the account to Free and adds the event. */
  async function expirePlan(tx: Tx, account: Account, now: number): Promise<Account> {
    const free = { plan: FREE_PLAN, planExpiresAt: null }
    await assignPlan(tx, account, free, now)
    return { ...account, ...free }
  }

  async function assignPlan(tx: Tx, account: Account, assignment: PlanAssignment, now: number): Promise<void> {
    await tx.accounts.setPlan(account.id, assignment.plan, assignment.planExpiresAt)
    await outbox.append(tx, [planUpdatedEvent(account.id, assignment, now)])
    if (assignment.plan !== account.plan) await mailLimitOfNewPlan(tx, plans, { ...account, ...assignment }, now)
  }

  async function grantPurchase(tx: Tx, purchase: Purchase): Promise<void> {
    // The period that was bought begins now: a clock that is behind must not shorten it.
    const { latest: now } = (await checkClock(tx, params, nowSecs(clock))).bounds
    const buyer = await tx.accounts.lock(purchase.accountId)
    if (!buyer) throw new Error('the account of a plan purchase does not exist')
    const current = isPlanExpired(buyer, now) ? await expirePlan(tx, buyer, now) : buyer
    const assignment = assignmentAfterPurchase(plans, current, purchase, now)
    if (assignment) await assignPlan(tx, current, assignment, now)
    else log.warn({ account: buyer.publicId, plan: purchase.plan }, 'a paid plan could not be granted')
    await tx.billing.update(purchase.invoiceId, {
      status: assignment ? 'granted' : 'needs_attention',
      decidedAt: now,
      grantedUntil: assignment?.planExpiresAt ?? null,
    })
  }

  /** Locks the accounts in the order of their ids. They may no longer be due, so `work` must check again. */
  async function lockEach(accounts: readonly Due[], work: AccountWork): Promise<void> {
    await store.write(async tx => {
      for (const due of accounts.toSorted((a, b) => a.id - b.id)) {
        const account = sameRow(await tx.accounts.lock(due.id), due)
        if (account) await work(tx, account)
      }
    })
  }

  /** One transaction for all accounts, if it succeeds. An account that fails alone is set aside. */
  async function forEachLocked(kind: 'plan' | 'plan_reminder', ids: readonly number[], work: AccountWork) {
    if (ids.length === 0) return
    const found = await store.read(async tx => {
      const accounts: (Account | null)[] = []
      for (const id of ids) accounts.push(await tx.accounts.byId(id))
      return accounts.filter(account => account !== null)
    })
    await setAsides.forEachBisected(
      found,
      account => accountReference(kind, account),
      accounts => lockEach(accounts, work),
    )
  }

  const retry = (kind: 'plan' | 'plan_reminder', work: AccountWork) =>
    setAsides.retryDue(kind, async ({ rowId, reference }) => {
      if (rowId !== null) await lockEach([{ id: rowId, publicId: reference }], work)
      return true
    })

  const endPlan = (now: number): AccountWork => {
    return async (tx, account) => {
      if (isPlanExpired(account, now)) await expirePlan(tx, account, now)
    }
  }

  const remind = (now: number): AccountWork => {
    const until = now + RENEWAL_LEAD_SECS
    return async (tx, { id, email, plan, planExpiresAt }) => {
      if (planExpiresAt === null || planExpiresAt > until) return
      if (!(await tx.billing.recordReminder(id, planExpiresAt))) return
      await tx.mails.enqueue(renewalReminder({ email }, plan, planExpiresAt, now))
    }
  }

  const clockIsRight = async (tx: Tx, now: number) => (await checkClock(tx, params, now)).agrees

  return {
    configured: operator !== null,
    plans,

    async subscribe(account, name, idempotencyKey, hasCode = false) {
      if (!operator) throw billingNotConfiguredError()
      requireNoDeletion(account)
      const plan = findPlan(plans, name)
      if (!plan || !isForSale(plan)) throw unknownPlanError(plans.filter(isForSale))
      const now = nowSecs(clock)
      const sold = { plan: plan.name, priceZat: plan.priceZat, periodDays: plan.periodDays }
      if (!assignmentAfterPurchase(plans, account, sold, now)) throw planNeverEnds(plan)
      const idempotency =
        idempotencyKey === undefined
          ? null
          : { accountId: account.id, key: idempotencyKey, body: JSON.stringify(['plan', name]) }
      const terms = { purpose: 'plan', amountZat: plan.priceZat, expiresInSecs: PAYMENT_SECS, idempotency } as const
      const { invoice } = await invoices.createInternal(operator, terms, async (tx, { id: invoiceId, createdAt }) => {
        checkOrderRateLimit(
          await tx.billing.list(account.id, { limit: ORDER_RATE_LIMIT.maxWithCode }),
          createdAt,
          hasCode,
        )
        await tx.billing.insert({ ...sold, invoiceId, accountId: account.id, createdAt })
      })
      return invoice
    },

    purchases: (account, page) =>
      store.read(async tx => {
        const purchases = await withInvoices(tx, await tx.billing.list(account.id, page))
        return purchases.map(([purchase, invoice]) => ({ purchase, invoice }))
      }),

    async applyPayment(tx, invoice) {
      if (invoice.status !== 'paid') return
      const purchase = await tx.billing.byInvoice(invoice.id)
      if (purchase?.status === 'open') await grantPurchase(tx, purchase)
    },

    countNeedingAttention: () => store.query(tx => tx.billing.countNeedingAttention()),

    async expirePlans(limit) {
      const now = nowSecs(clock)
      const ended = await store.query(tx => tx.billing.accountsWithEndedPlan(now, limit))
      const due = ended.length > 0 && (await store.read(tx => clockIsRight(tx, now))) ? ended : []
      await forEachLocked('plan', due, endPlan(now))
      return due.length
    },

    async sendRenewalReminders(limit) {
      const now = nowSecs(clock)
      const due = await store.query(tx => tx.billing.accountsToRemind(now, now + RENEWAL_LEAD_SECS, limit))
      await forEachLocked('plan_reminder', due, remind(now))
      return due.length
    },

    async retrySetAside() {
      const now = nowSecs(clock)
      const reminders = await retry('plan_reminder', remind(now))
      if (!(await store.read(tx => clockIsRight(tx, now)))) return reminders
      return (await retry('plan', endPlan(now))) || reminders
    },
  }
}

function planNeverEnds(plan: Plan): AppError {
  return new AppError('plan_never_ends', {
    detail: `the ${plan.name} plan of this account has no end date, so it cannot be renewed`,
  })
}
