import type { Plan } from '@zatgate/server/domain/account/plan'
import type { Draw } from '../../runtime/draw.ts'

const DAY_SECS = 86_400

/** The plan of an account as it is stored. */
export interface PlanState {
  readonly plan: string
  /** Unix seconds; null: never. */
  readonly expiresAt: number | null
}

/** A period as it was bought. */
export interface BoughtPeriod {
  readonly plan: string
  readonly priceZat: bigint
  readonly periodDays: number
}

/** The operator's plans: with limits that are really met, and periods that really end. */
export function drawPlans(draw: Draw): readonly Plan[] {
  const free = draw.pick([3, 5, 8, 50])
  return [
    { name: 'Free', monthlyInvoiceLimit: free, priceZat: 0n, periodDays: 30 },
    { name: 'Small', monthlyInvoiceLimit: free + 4, priceZat: 1_000n, periodDays: 1 },
    { name: 'Large', monthlyInvoiceLimit: null, priceZat: 7_000n, periodDays: 2 },
  ]
}

/**
 * When a plan ends after a paid period: the same plan runs one period longer; another one begins at once, and is credited
 * with what the rest of the old one has cost. Null when the account already has the plan without an end.
 * @param now Unix seconds
 */
export function endAfterPurchase(
  plans: readonly Plan[],
  { plan, expiresAt }: PlanState,
  bought: BoughtPeriod,
  now: number,
): number | null {
  const period = bought.periodDays * DAY_SECS
  const runs = expiresAt === null || expiresAt > now
  if (runs && plan === bought.plan) return expiresAt === null ? null : expiresAt + period
  const old = plans.find(({ name }) => name === plan)
  const left = runs && expiresAt !== null ? expiresAt - now : 0
  if (!old || left === 0) return now + period
  const credit = (BigInt(left) * old.priceZat * BigInt(period)) / (bought.priceZat * BigInt(old.periodDays * DAY_SECS))
  return now + period + Number(credit)
}
