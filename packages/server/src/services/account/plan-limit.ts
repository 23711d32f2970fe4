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

/**
 * Refuses an invoice that is not counted yet when the limit of the plan is reached.
 * @throws AppError `monthly_invoice_limit_reached`
 */
export async function refuseBeyondLimit(
  tx: Pick<Tx, 'usage'>,
  plans: readonly Plan[],
  account: Account,
  now: number,
): Promise<void> {
  const { plan } = effectivePlan(plans, account, now)
  if (plan.monthlyInvoiceLimit === null) return
  const used = await tx.usage.used(account.id, formatMonth(now))
  if (limitUse(plan, used) === 'reached') throw invoiceLimitError(plan, used, now)
}

/**
 * Counts invoices whose money has arrived, also beyond the limit: a payment cannot be refused. The rows are locked in the
 * order of `countInvoice`.
 * @param now Unix seconds
 */
export async function countPaid(
  tx: Pick<Tx, 'accounts' | 'usage' | 'mails'>,
  plans: readonly Plan[],
  accountIds: readonly number[],
  now: number,
): Promise<void> {
  const counted: { account: Account; plan: Plan; invoices: number }[] = []
  for (const [id, { length: invoices }] of Map.groupBy(accountIds, id => id)) {
    const account = await tx.accounts.byId(id)
    if (account) counted.push({ account, plan: effectivePlan(plans, account, now).plan, invoices })
  }
  const limitOf = ({ plan }: { plan: Plan }) => plan.monthlyInvoiceLimit ?? Number.MAX_SAFE_INTEGER
  for (const { account, plan, invoices } of counted.sort(
    (a, b) => limitOf(a) - limitOf(b) || a.account.id - b.account.id,
  ))
    for (let left = invoices; left > 0; left--) {
      const { used } = await tx.usage.increment(account.id, formatMonth(now), null)
      if (limitUse(plan, used) !== limitUse(plan, used - 1)) await mailLimit(tx, account, plan, used, now)
    }
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
