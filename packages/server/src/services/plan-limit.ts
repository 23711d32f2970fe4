import type { Account } from '../domain/account.ts'
import { effectivePlan, invoiceLimitError, type Plan } from '../domain/plan.ts'
import { formatMonth } from '../domain/time.ts'
import type { BatchTx } from '../ports/store.ts'

/**
 * Counts an invoice in the account's calendar month (UTC), up to the limit of the plan in effect at `createdAt` (Unix
 * seconds).
 * @throws AppError `monthly_invoice_limit_reached` (HTTP 402) at the limit
 */
export async function countInvoice(
  tx: Pick<BatchTx, 'usage'>,
  plans: readonly Plan[],
  account: Account,
  createdAt: number,
): Promise<void> {
  const { plan } = effectivePlan(plans, account, createdAt)
  const { counted, used } = await tx.usage.increment(account.id, formatMonth(createdAt), plan.monthlyInvoiceLimit)
  if (!counted) throw invoiceLimitError(plan, used)
}
