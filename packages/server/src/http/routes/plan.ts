import { Type } from 'typebox'
import type { Billing } from '../../services/billing.ts'
import type { App } from '../app.ts'
import { responses } from '../schemas/common.ts'
import { Plan } from '../schemas/plan.ts'

export function planRoutes(app: App, { billing }: { billing: Billing }): void {
  app.get(
    '/v1/plans',
    {
      config: { cors: true },
      schema: { summary: 'List the plans', tags: ['billing'], response: responses(Type.Array(Plan)) },
    },
    () =>
      billing.plans.map(plan => ({
        name: plan.name,
        monthly_invoice_limit: plan.monthlyInvoiceLimit,
        price_zat: Number(plan.priceZat),
        period_days: plan.periodDays,
      })),
  )
}
