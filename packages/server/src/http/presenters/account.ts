import type * as Wire from '@zatgate/sdk/wire'
import type { AccountOverview } from '../../services/account.ts'
import { presentInvoicesThisMonth } from './billing.ts'

export function presentAccount(overview: AccountOverview): Wire.Account {
  const { account, plan, planExpiresAt } = overview
  return {
    id: account.publicId,
    email: account.email,
    network: account.network,
    viewing_key_set: account.viewingKeyId !== null,
    confirmations: account.confirmations,
    plan: plan.name,
    plan_expires_at: planExpiresAt,
    invoices_this_month: presentInvoicesThisMonth(overview),
    created_at: account.createdAt,
  }
}
