import type * as Wire from '@zatgate/sdk/wire'
import type { AccountOverview } from '../../services/account.ts'

export function presentBilling(overview: AccountOverview): Wire.Billing {
  return {
    plan: overview.plan.name,
    expires_at: overview.planExpiresAt,
    invoices_this_month: presentInvoicesThisMonth(overview),
  }
}

export function presentInvoicesThisMonth({
  plan,
  usedThisMonth,
  resetsAt,
}: AccountOverview): Wire.Billing['invoices_this_month'] {
  return { used: usedThisMonth, limit: plan.monthlyInvoiceLimit, resets_at: resetsAt }
}
