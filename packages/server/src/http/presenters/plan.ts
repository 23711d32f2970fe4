import type * as Wire from '@zatgate/sdk/wire'
import type { Plan } from '../../domain/plan.ts'

export function presentPlan(plan: Plan): Wire.Plan {
  return {
    name: plan.name,
    monthly_invoice_limit: plan.monthlyInvoiceLimit,
    price_zat: Number(plan.priceZat),
    period_days: plan.periodDays,
  }
}
