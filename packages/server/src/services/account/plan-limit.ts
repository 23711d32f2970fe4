import type { Account } from '../../domain/account/account.ts'
import { effectivePlan, invoiceLimitError, limitUse, type Plan } from '../../domain/account/plan.ts'
import { limitNotice } from '../../domain/notify/email-notification.ts'
import { formatMonth } from '../../domain/time.ts'
import type { BatchTx, Tx } from '../../ports/store.ts'

/**
 * Counts an invoice in the account's calendar month (UTC), up to the limit of the plan in effect at `createdAt` (Unix
 * seconds). Mails the owner with the invoice that reaches 80 % of the limit, and with the last one.
 * @throws AppError `monthly_invoice_limit_reached` (HTTP 402) at the limit
 */
export async function countInvoice(
  tx: Pick<BatchTx, 'usage' | 'mails'>,
  plans: readonly Plan[],
  account: Account,
  createdAt: number,
): Promise<void> {
  const { plan } = effectivePlan(plans, account, createdAt)
  const { counted, used } = await tx.usage.increment(account.id, formatMonth(createdAt), plan.monthlyInvoiceLimit)
  if (!counted) throw invoiceLimitError(plan, used, createdAt)
  const use = limitUse(plan, used)
  if (use !== limitUse(plan, used - 1)) await mailLimit(tx, account, plan, used, createdAt)
}

/** Mails the owner when 80 % of a new plan's limit, or all of it, is used already. */
export async function mailLimitOfNewPlan(
  tx: Pick<Tx, 'usage' | 'mails'>,
  plans: readonly Plan[],
  account: Account,
  now: number,
): Promise<void> {
  const { plan } = effectivePlan(plans, account, now)
  if (plan.monthlyInvoiceLimit === null) return
  await mailLimit(tx, account, plan, await tx.usage.used(account.id, formatMonth(now)), now)
}

async function mailLimit(tx: Pick<BatchTx, 'mails'>, account: Account, plan: Plan, used: number, now: number) {
  const use = limitUse(plan, used)
  if (use !== 'below') await tx.mails.enqueue(limitNotice(account, use, plan, used, now))
}
