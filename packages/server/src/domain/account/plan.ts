import { AppError } from '../error.ts'
import type { Zat } from '../money.ts'
import { DAY_SECS, startOfNextMonth } from '../time.ts'

export interface Plan {
  readonly name: string
  /** Null: no limit. */
  readonly monthlyInvoiceLimit: number | null
  /** Price of one period; 0 for the free plan. */
  readonly priceZat: Zat
  readonly periodDays: number
  /** Viewing keys that an account may have watched at a time. Undefined: `DEFAULT_WATCHED_KEY_LIMIT`. */
  readonly watchedKeyLimit?: number
}

/** The current key, and earlier ones whose invoices can still be paid: few, since merchants rarely change their key. */
export const DEFAULT_WATCHED_KEY_LIMIT = 5

/** The plan of accounts without a purchase, and of accounts whose plan has ended. */
export const FREE_PLAN = 'Free'

export const DEFAULT_PLANS: readonly Plan[] = [
  { name: FREE_PLAN, monthlyInvoiceLimit: 50, priceZat: 0n, periodDays: 30 },
  { name: 'Pro', monthlyInvoiceLimit: 1_000, priceZat: 10_000_000n, periodDays: 30, watchedKeyLimit: 20 },
  { name: 'Business', monthlyInvoiceLimit: null, priceZat: 50_000_000n, periodDays: 30, watchedKeyLimit: 100 },
]

/**
 * The plans in effect. Where plans are neither listed nor sold there is no limit, since no purchase could lift it.
 * @param listed the operator's own list; null: none
 * @param areSold whether the operator sells plans
 */
export function plansInEffect(listed: readonly Plan[] | null, areSold: boolean): readonly Plan[] {
  if (listed !== null) return listed
  return areSold ? DEFAULT_PLANS : DEFAULT_PLANS.map(plan => ({ ...plan, monthlyInvoiceLimit: null, priceZat: 0n }))
}

/** The monthly limit of new accounts when they can buy no larger plan; null: no limit, or one that a purchase lifts. */
export function limitWithoutPurchase(plans: readonly Plan[], areSold: boolean): number | null {
  const free = findPlan(plans, FREE_PLAN)
  if (!free || free.monthlyInvoiceLimit === null) return null
  const canBuy = areSold && plans.some(plan => isForSale(plan) && isLowerPlan(free, plan))
  return canBuy ? null : free.monthlyInvoiceLimit
}

/** The share of a monthly limit from which its account is warned. */
const WARNED_SHARE = 0.8

/** How far the monthly limit is used: `near` from 80 % on, `reached` when no further invoice can be created. */
export function limitUse({ monthlyInvoiceLimit: limit }: Plan, used: number): 'below' | 'near' | 'reached' {
  if (limit === null) return 'below'
  if (used >= limit) return 'reached'
  return used >= limit * WARNED_SHARE ? 'near' : 'below'
}

export function findPlan(plans: readonly Plan[], name: string): Plan | undefined {
  return plans.find(plan => plan.name === name)
}

/**
 * The plan in effect at `now`: the account's own until it ends, then Free. Free also when the operator has removed the
 * account's plan from the list.
 */
export function effectivePlan(
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

/** @param now Unix seconds: a time in the month whose invoices are used up */
export function invoiceLimitError(plan: Plan, used: number, now: number): AppError {
  return new AppError('monthly_invoice_limit_reached', {
    value: plan.name,
    extra: { limit: plan.monthlyInvoiceLimit, used, plan: plan.name, resets_at: startOfNextMonth(now) },
  })
}

/** One period of a plan as it was sold. Later changes of the list of plans do not affect it. */
export interface SoldPeriod {
  readonly plan: string
  /** More than 0. */
  readonly priceZat: Zat
  readonly periodDays: number
}

/** The stored plan of an account. It may have ended. */
export interface PlanAssignment {
  readonly plan: string
  /** Unix seconds; null: never. */
  readonly planExpiresAt: number | null
}

/** Whether an account on `current` may create fewer invoices a month with `plan`. */
export function isLowerPlan(plan: Plan, current: Plan): boolean {
  const limitOf = ({ monthlyInvoiceLimit }: Plan) => monthlyInvoiceLimit ?? Number.POSITIVE_INFINITY
  return limitOf(plan) < limitOf(current)
}

/** How long before the end of a plan its owner gets a reminder. */
export const RENEWAL_LEAD_SECS = 3 * DAY_SECS

export function isForSale(plan: Plan): boolean {
  return plan.priceZat > 0n
}

export function isPlanExpired({ planExpiresAt }: PlanAssignment, now: number): boolean {
  return planExpiresAt !== null && now >= planExpiresAt
}

/**
 * The assignment after a paid period. The same plan runs one period longer. Another plan begins at once, and the rest of
 * the old one is credited. Null when no plan can be assigned: it is no longer on the list, or the account already has it
 * without end.
 */
export function assignmentAfterPurchase(
  plans: readonly Plan[],
  assigned: PlanAssignment,
  sold: SoldPeriod,
  now: number,
): (PlanAssignment & { readonly planExpiresAt: number }) | null {
  if (!findPlan(plans, sold.plan)) return null
  const { plan: current, expiresAt } = effectivePlan(plans, assigned, now)
  const period = secsOf(sold)
  if (current.name === sold.plan)
    return expiresAt === null ? null : { plan: sold.plan, planExpiresAt: expiresAt + period }
  const left = expiresAt === null ? 0 : expiresAt - now
  return { plan: sold.plan, planExpiresAt: now + period + creditedSecs(current, left, sold) }
}

/** A hundred years. Prices that differ by a factor of a billion must not lead to an end beyond the range of dates. */
const MAX_CREDITED_SECS = 100n * 365n * 86_400n

/** Seconds of the sold plan that cost as much as `left` seconds of the old one, rounded down. */
export function creditedSecs(old: Omit<Plan, 'name'>, left: number, sold: SoldPeriod): number {
  const worth = BigInt(left) * old.priceZat * BigInt(secsOf(sold))
  const secs = worth / (sold.priceZat * BigInt(secsOf(old)))
  return Number(secs < MAX_CREDITED_SECS ? secs : MAX_CREDITED_SECS)
}

function secsOf({ periodDays }: { readonly periodDays: number }): number {
  return periodDays * DAY_SECS
}

export function unknownPlanError(plans: readonly Plan[]): AppError {
  return new AppError('unknown_plan', { detail: `one of ${plans.map(plan => plan.name).join(', ')}` })
}

export function billingNotConfiguredError(
  detail = 'the operator of this service has set no viewing key for billing',
): AppError {
  return new AppError('billing_not_configured', { detail })
}
