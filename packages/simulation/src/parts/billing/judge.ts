import type { Plan } from '@zatgate/server/domain/account/plan'
import type { Rule } from '../../rules.ts'
import type { World } from '../../world/world.ts'
import { NewEvents } from '../event/new-events.ts'
import { readTip } from '../sale/ledger.ts'
import { short } from '../sale/shop.ts'
import {
  type AccountRow,
  type PlanEvent,
  type PlanLedger,
  type PurchaseRow,
  planEventsOf,
  type ReminderRow,
  readPlans,
  readReminders,
} from './ledger.ts'
import { endAfterPurchase, type PlanState } from './plans.ts'

/** The end of a plan that never ends, in events. */
const NEVER = 253_402_300_799

/** How long before its end the owner of a plan is reminded. */
const REMINDER_SECS = 3 * 86_400

/** A plan that the operator assigns by hand. */
export interface Assignment {
  readonly email: string
  readonly plan: string
  readonly expiresAt: number | null
}

/** Checks plans, purchases and reminders after every commit. */
export class PlanJudge {
  /** Assignments of the operator that may have become effective. */
  readonly assignments: Assignment[] = []
  readonly #world: World
  readonly #plans: readonly Plan[]
  #before: PlanLedger | null = null
  readonly #newEvents: NewEvents
  #mailed = new Set<string>()

  constructor(world: World, plans: readonly Plan[]) {
    this.#world = world
    this.#plans = plans
    this.#newEvents = new NewEvents(world)
    // The state may go back once.
    world.onRestore(() => {
      this.#before = null
    })
  }

  check(): void {
    const ledger = readPlans(this.#world)
    const events = planEventsOf(this.#newEvents.read())
    const before = this.#before
    this.#before = ledger
    const reminders = this.#newReminders()
    for (const purchase of ledger.purchases) this.#checkPurchase(before, purchase)
    if (before) {
      for (const account of ledger.accounts) this.#checkAccount(before, ledger, account, events)
      this.#checkReminders(before, ledger, reminders)
    }
  }

  #checkPurchase(before: PlanLedger | null, purchase: PurchaseRow): void {
    const { status, invoice_status: paid } = purchase
    if (status === 'open' ? paid === 'paid' : paid !== 'paid')
      this.#fail(
        'a purchase is decided in the commit in which it is paid',
        purchase,
        `${status}, its invoice is ${paid}`,
      )
    const earlier = before?.purchases.find(({ invoice_id }) => invoice_id === purchase.invoice_id)
    if (!before || earlier?.status === status) {
      if (earlier && earlier.granted_until !== purchase.granted_until)
        this.#fail('a purchase is granted once', purchase, 'its end has changed')
      return
    }
    if (earlier && earlier.status !== 'open') this.#fail('a purchase is decided once', purchase, status)
    this.#world.transition('purchase', earlier?.status ?? null, status)
    this.#world.story.tell('database', `purchase ${short(purchase.public_id)} of ${purchase.plan}: ${status}`)
  }

  /** Follows the events of an account from its old plan to its new one. Each must have its reason in this commit. */
  #checkAccount(before: PlanLedger, ledger: PlanLedger, account: AccountRow, events: readonly PlanEvent[]): void {
    const earlier = before.accounts.find(({ id }) => id === account.id)
    if (!earlier) return
    const granted = decidedNow(before, ledger, account.id)
    let state = stateOf(earlier)
    const states = [state]
    const own = events.filter(({ accountId }) => accountId === account.id)
    for (const [index, event] of own.entries()) {
      const next = this.#explain(state, event, { account, granted, isLast: index === own.length - 1 })
      this.#world.transition('plan', state.plan, next.plan)
      this.#world.story.tell('database', `${account.email}: plan ${state.plan} → ${next.plan} until ${next.expiresAt}`)
      state = next
      states.push(state)
    }
    const now = stateOf(account)
    if (now.plan !== state.plan || now.expiresAt !== state.expiresAt)
      this.#failAccount('a change of a plan and plan.updated are one commit', account, `${now.plan} ${now.expiresAt}`)
    for (const purchase of granted) {
      if (purchase.status === 'granted') this.#fail('a granted purchase changes the plan', purchase)
      else if (!states.some(({ plan, expiresAt }) => plan === purchase.plan && expiresAt === null))
        this.#fail('a paid plan on the list is granted', purchase)
    }
  }

  #explain(
    state: PlanState,
    event: PlanEvent,
    { account, granted, isLast }: { account: AccountRow; granted: PurchaseRow[]; isLast: boolean },
  ): PlanState {
    const { plan, expiresAt } = event
    const index = granted.findIndex(
      purchase =>
        purchase.plan === plan && purchase.status === 'granted' && Number(purchase.granted_until) === expiresAt,
    )
    const [purchase] = index < 0 ? [] : granted.splice(index, 1)
    if (purchase) {
      this.#checkGrant(state, purchase)
      return { plan, expiresAt }
    }
    if (plan === 'Free' && state.expiresAt !== null && this.#hasEnded(state.expiresAt, isLast))
      return { plan, expiresAt: null }
    const assigned = this.assignments.findIndex(
      assignment =>
        assignment.email === account.email &&
        assignment.plan === plan &&
        (assignment.expiresAt === expiresAt ||
          (assignment.expiresAt === null && (plan === 'Free' || expiresAt === NEVER))),
    )
    const [assignment] = assigned < 0 ? [] : this.assignments.splice(assigned, 1)
    if (assignment) return { plan, expiresAt: assignment.expiresAt }
    const rule = plan === 'Free' ? 'a plan ends only after its end' : 'a plan is granted once for each paid purchase'
    this.#failAccount(rule, account, `${state.plan} until ${state.expiresAt} → ${plan} until ${expiresAt}`)
    return { plan, expiresAt }
  }

  /**
   * Whether a plan may have ended. A clock that is hours wrong ends no plan, except right before the same owner gets a
   * new period by the same clock.
   */
  #hasEnded(expiresAt: number, isLast: boolean): boolean {
    const { scheduler, maxClockAheadMs, clockErrors } = this.#world
    const aheadMs = isLast ? maxClockAheadMs : clockErrors.maxMs
    return scheduler.nowMs + aheadMs >= expiresAt * 1000
  }

  #checkGrant(state: PlanState, purchase: PurchaseRow): void {
    const { scheduler, clockErrors } = this.#world
    const grantedAt = Number(purchase.decided_at)
    // A clock that differs from the chain by hours is not believed: then the newest recorded block tells the time.
    const tipTime = Number(readTip(this.#world)?.time ?? 0n)
    if (grantedAt * 1000 > Math.max(scheduler.nowMs + clockErrors.maxMs, tipTime * 1000))
      this.#fail('a period begins when it is paid', purchase, `${grantedAt}`)
    const bought = {
      plan: purchase.plan,
      priceZat: purchase.price_zat,
      periodDays: Number(purchase.period_days),
    }
    const expected = endAfterPurchase(this.#plans, state, bought, grantedAt)
    if (expected !== Number(purchase.granted_until))
      this.#fail(
        'a purchase gives the period that was bought',
        purchase,
        `until ${purchase.granted_until}, not ${expected}`,
      )
  }

  /** The reminders that were queued by the last commit. */
  #newReminders(): ReminderRow[] {
    const queued = readReminders(this.#world)
    // SQLite gives the id of a mail that was sent to a later one. Two ends within a minute have one detail.
    const keyOf = ({ id, detail, events }: ReminderRow) => `${id} ${events} ${detail}`
    const added = queued.filter(mail => !this.#mailed.has(keyOf(mail)))
    this.#mailed = new Set(queued.map(keyOf))
    return added
  }

  /** One mail for each recorded reminder, in the same commit. */
  #checkReminders(before: PlanLedger, ledger: PlanLedger, mails: readonly ReminderRow[]): void {
    for (const account of ledger.accounts) {
      const count = mails.filter(({ recipient }) => recipient === account.email).length
      const recorded = ledger.reminded.get(account.id)
      const isNew = recorded !== undefined && recorded !== before.reminded.get(account.id)
      if (count !== (isNew ? 1 : 0))
        this.#failAccount('the end of a plan is announced by one mail', account, `${count} mails`)
    }
  }

  /** Why the plans have not settled: one has ended and still runs, or a reminder is missing. */
  unsettled(): string | null {
    const { nowSecs } = this.#world
    const { accounts, reminded } = readPlans(this.#world)
    for (const { id, email, plan, plan_expires_at: end } of accounts) {
      if (end === null) continue
      if (end + 30n < nowSecs) return `the plan ${plan} of ${email} has ended and still runs`
      const isDue = Number(end) < nowSecs + REMINDER_SECS && Number(end) > nowSecs + 30
      if (isDue && reminded.get(id) !== end) return `${email} is not reminded of the end of ${plan}`
    }
    return null
  }

  #fail(rule: Rule, { public_id: id, plan }: PurchaseRow, detail = ''): void {
    this.#world.fail(rule, `purchase ${short(id)} of ${plan}${detail && `: ${detail}`}`)
  }

  #failAccount(rule: Rule, { email }: AccountRow, detail: string): void {
    this.#world.fail(rule, `${email}: ${detail}`)
  }
}

/** The purchases of an account that were decided in the last commit. */
function decidedNow(before: PlanLedger, { purchases }: PlanLedger, accountId: bigint): PurchaseRow[] {
  return purchases.filter(
    ({ account_id, invoice_id, status }) =>
      account_id === accountId &&
      status !== 'open' &&
      before.purchases.find(earlier => earlier.invoice_id === invoice_id)?.status === 'open',
  )
}

function stateOf({ plan, plan_expires_at: end }: AccountRow): PlanState {
  return { plan, expiresAt: end === null ? null : Number(end) }
}
