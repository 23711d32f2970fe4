import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import type { Plan } from '../../../domain/account/plan.ts'
import { viewInvoice } from '../../../domain/sale/invoice-views.ts'
import type { AccountOverview, Accounts } from '../../../services/account/account.ts'
import type { Billing } from '../../../services/account/billing.ts'
import type { App } from '../../app.ts'
import { accountOf } from '../../auth.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../../idempotency.ts'
import { nullable, responses, UnixSecs, wireBody, wireObject, Zat } from '../../schema.ts'
import { CreatedInvoiceSchema } from '../sale/invoice.ts'

const PlanSchema = wireObject<Wire.Plan>()('Plan', {
  name: Type.String(),
  monthly_invoice_limit: nullable(Type.Integer({ description: 'Null: no limit.' })),
  price_zat: Zat('Price of one period.'),
  period_days: Type.Integer({ description: 'Length of a period in days.' }),
})

export const MonthlyUsageSchema = wireObject<Wire.MonthlyUsage>()('MonthlyUsage', {
  used: Type.Integer(),
  limit: nullable(Type.Integer({ description: 'Null: no limit.' })),
  resets_at: UnixSecs('The first of the next month, UTC.'),
})

const BillingSchema = wireObject<Wire.Billing>()('Billing', {
  plan: Type.String(),
  expires_at: nullable(UnixSecs('Null: the plan does not expire.')),
  invoices_this_month: MonthlyUsageSchema,
})

const SubscribeSchema = wireBody<Wire.SubscribeRequest>()('SubscribeRequest', {
  plan: Type.String({ description: 'A plan name from GET /v1/plans.' }),
})

function presentPlan(plan: Plan): Wire.Plan {
  return {
    name: plan.name,
    monthly_invoice_limit: plan.monthlyInvoiceLimit,
    price_zat: Number(plan.priceZat),
    period_days: plan.periodDays,
  }
}

export function presentMonthlyUsage({ plan, usedThisMonth, resetsAt }: AccountOverview): Wire.MonthlyUsage {
  return { used: usedThisMonth, limit: plan.monthlyInvoiceLimit, resets_at: resetsAt }
}

function presentBilling(overview: AccountOverview): Wire.Billing {
  return {
    plan: overview.plan.name,
    expires_at: overview.planExpiresAt,
    invoices_this_month: presentMonthlyUsage(overview),
  }
}

interface Deps {
  readonly billing: Billing
  readonly accounts: Accounts
}

export function billingRoutes(app: App, { billing, accounts }: Deps): void {
  const common = { tags: ['billing'] }

  app.get(
    '/v1/plans',
    {
      config: { cors: true, rate: 'read', access: 'public' },
      schema: {
        operationId: 'listPlans',
        summary: 'List the plans',
        tags: ['billing'],
        response: responses(Type.Array(PlanSchema)),
      },
    },
    () => billing.plans.map(presentPlan),
  )

  app.get(
    '/v1/account/billing',
    {
      config: { rate: 'session', access: 'session' },
      schema: {
        ...common,
        operationId: 'getBilling',
        summary: 'Read the plan and its usage',
        response: responses(BillingSchema),
      },
    },
    async request => presentBilling(await accounts.overview(accountOf(request))),
  )

  app.post(
    '/v1/account/billing/subscribe',
    {
      config: {
        rate: 'session',
        access: 'session',
        errors: [
          'unknown_plan',
          'billing_not_configured',
          'plan_never_ends',
          'idempotency_key_reused',
          'account_being_deleted',
          'too_many_orders',
        ],
      },
      schema: {
        ...common,
        operationId: 'subscribe',
        summary: 'Buy one period of a plan',
        description:
          'Returns an invoice; the plan starts when it is paid. Buying the current plan again adds a period. A different ' +
          'plan starts at once, and the unused time of the old one is credited. Accepts an `Idempotency-Key`.',
        headers: IdempotencyHeader,
        body: SubscribeSchema,
        response: responses(CreatedInvoiceSchema),
      },
    },
    async request => {
      const key = parseIdempotencyKey(request.headers['idempotency-key'])
      return viewInvoice('created', await billing.subscribe(accountOf(request), request.body.plan, key))
    },
  )
}
