import { Fault } from './fault.ts'
import type { Zat } from './money.ts'

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
