import { budgetWindow, SIGN_IN_BUDGETS, type SignInBudget } from '../domain/sign-in.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Tx } from '../ports/store.ts'

/** An amount taken from a budget. */
export interface Spending {
  readonly budget: SignInBudget
  /** At most what was asked for. */
  readonly granted: number
  /** Whether this took the last of it. */
  readonly isLast: boolean
  /** Unix seconds: when the next window begins. */
  readonly endsAt: number
}

/** Takes up to `count` from a budget, which stays locked until the transaction ends. @param now Unix seconds */
export async function spendBudget(
  tx: Pick<Tx, 'signIn'>,
  budget: SignInBudget,
  count: number,
  now: number,
): Promise<Spending> {
  const { max } = SIGN_IN_BUDGETS[budget]
  const { startsAt, endsAt } = budgetWindow(budget, now)
  const used = await tx.signIn.lockBudget(budget, startsAt, endsAt)
  const granted = Math.max(0, Math.min(count, max - used))
  if (granted > 0) await tx.signIn.setBudgetUsed(budget, used + granted)
  return { budget, granted, isLast: granted > 0 && used + granted >= max, endsAt }
}

/** Returns what was taken from a budget that is still locked. */
export async function refundBudget(tx: Pick<Tx, 'signIn'>, { budget, granted }: Spending, now: number): Promise<void> {
  const { startsAt, endsAt } = budgetWindow(budget, now)
  const used = await tx.signIn.lockBudget(budget, startsAt, endsAt)
  await tx.signIn.setBudgetUsed(budget, used - granted)
}

/** Whether the budget is spent until its next window. @param now Unix seconds */
export async function isBudgetSpent(tx: Pick<Tx, 'signIn'>, budget: SignInBudget, now: number): Promise<boolean> {
  const used = await tx.signIn.budgetUsed(budget, budgetWindow(budget, now).startsAt)
  return used >= SIGN_IN_BUDGETS[budget].max
}

/** Reports a budget whose last was taken. Call after the commit. */
export function reportSpent(
  { log, metrics }: { readonly log: Log; readonly metrics: Pick<Metrics, 'signInBudgetSpent'> },
  { budget, isLast, endsAt }: Spending,
): void {
  if (!isLast) return
  metrics.signInBudgetSpent(budget)
  log.warn(
    { budget, max: SIGN_IN_BUDGETS[budget].max, until: endsAt },
    'a limit of sign-in codes for all clients is reached',
  )
}
