import { Fault } from './error.ts'
import type { Zat } from './money.ts'
import { DAY_SECS } from './time.ts'

export interface Plan {
  readonly name: string
  /** Null: no limit. */
  readonly monthlyInvoiceLimit: number | null
  /** What one period costs; 0 for the plan that everyone is on without paying. */
  readonly priceZat: Zat
  readonly periodDays: number
}

/** The plan of every account that has bought no other, and of those whose plan has ended. */
export const FREE_PLAN = 'Free'

export const DEFAULT_PLANS: readonly Plan[] = [
  { name: FREE_PLAN, monthlyInvoiceLimit: 50, priceZat: 0n, periodDays: 30 },
  { name: 'Pro', monthlyInvoiceLimit: 1_000, priceZat: 10_000_000n, periodDays: 30 },
  { name: 'Business', monthlyInvoiceLimit: null, priceZat: 50_000_000n, periodDays: 30 },
]

export function findPlan(plans: readonly Plan[], name: string): Plan | undefined {
  return plans.find(plan => plan.name === name)
}

/**
 * The plan that counts at `now`: the account's own while it runs, Free after its end. A plan that the operator has
 * taken off the list is Free too: nobody keeps what is no longer sold without the operator's word.
 */
export function planAt(
  plans: readonly Plan[],
  account: { readonly plan: string; readonly planExpiresAt: number | null },
  now: number,
): { readonly plan: Plan; readonly expiresAt: number | null } {
  const own = findPlan(plans, account.plan)
  const running = account.planExpiresAt === null || now < account.planExpiresAt
  if (own && running) return { plan: own, expiresAt: account.planExpiresAt }
  const free = findPlan(plans, FREE_PLAN)
  if (!free) throw new Error('the plans lack the Free plan')
  return { plan: free, expiresAt: null }
}

export function limitReached(plan: Plan, used: number): Fault {
  return new Fault(
    'payment_required',
    'monthly_invoice_limit_reached',
    `monthly invoice limit reached for the ${plan.name} plan`,
    { extra: { limit: plan.monthlyInvoiceLimit, used, plan: plan.name } },
  )
}

/** One period of a plan as it was sold: what its invoice was made for, whatever the list of plans says later. */
export interface SoldPeriod {
  readonly plan: string
  /** More than 0. */
  readonly priceZat: Zat
  readonly periodDays: number
}

/** What an account is on, as it is written down: it may have run out. */
export interface Holding {
  readonly plan: string
  /** Unix seconds; null: for ever. */
  readonly planExpiresAt: number | null
}

/** How long before its end a plan's owner is told. */
export const RENEWAL_NOTICE_SECS = 3 * DAY_SECS

export function isForSale(plan: Plan): boolean {
  return plan.priceZat > 0n
}

export function hasRunOut({ planExpiresAt }: Holding, now: number): boolean {
  return planExpiresAt !== null && now >= planExpiresAt
}

/**
 * What the account holds once the period is paid for: the same plan runs one period longer; any other begins at once,
 * what is left of the old one counted in. Null when nothing can be given for the money: the plan is no longer on the
 * list, or is the account's own already and never ends.
 */
export function afterPurchase(
  plans: readonly Plan[],
  held: Holding,
  sold: SoldPeriod,
  now: number,
): (Holding & { readonly planExpiresAt: number }) | null {
  if (!findPlan(plans, sold.plan)) return null
  const { plan: current, expiresAt } = planAt(plans, held, now)
  const period = secsOf(sold)
  if (current.name === sold.plan)
    return expiresAt === null ? null : { plan: sold.plan, planExpiresAt: expiresAt + period }
  const left = expiresAt === null ? 0 : expiresAt - now
  return { plan: sold.plan, planExpiresAt: now + period + creditedSecs(current, left, sold) }
}

/** A hundred years: prices a billion times apart must not make an end that no calendar has. */
const MOST_CREDITED_SECS = 100n * 365n * 86_400n

/** Seconds of the plan sold that cost as much as `left` seconds of the old one, rounded down. */
export function creditedSecs(old: Omit<Plan, 'name'>, left: number, sold: SoldPeriod): number {
  const worth = BigInt(left) * old.priceZat * BigInt(secsOf(sold))
  const secs = worth / (sold.priceZat * BigInt(secsOf(old)))
  return Number(secs < MOST_CREDITED_SECS ? secs : MOST_CREDITED_SECS)
}

function secsOf({ periodDays }: { readonly periodDays: number }): number {
  return periodDays * DAY_SECS
}

export function unknownPlan(plans: readonly Plan[]): Fault {
  return new Fault('invalid', 'unknown_plan', 'unknown plan', {
    extra: { detail: `one of ${plans.map(plan => plan.name).join(', ')}` },
  })
}

export function billingNotConfigured(
  detail = 'the operator of this service has set no viewing key for billing',
): Fault {
  return new Fault('conflict', 'billing_not_configured', 'billing not configured', { extra: { detail } })
}
