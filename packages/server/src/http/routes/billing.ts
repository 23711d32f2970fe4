import type { Accounts } from '../../services/account.ts'
import type { Billing as BillingService } from '../../services/billing.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf } from '../auth.ts'
import { IdempotencyHeader, parseIdempotencyKey } from '../idempotency.ts'
import { presentBilling } from '../presenters/billing.ts'
import { presentCreatedInvoice } from '../presenters/invoice.ts'
import { Billing, Subscribe } from '../schemas/billing.ts'
import { CreatedInvoice } from '../schemas/invoice.ts'
import { responses } from '../schemas/response.ts'

interface Deps {
  readonly billing: BillingService
  readonly accounts: Accounts
  readonly auth: Auth
}

export function billingRoutes(app: App, { billing, accounts, auth }: Deps): void {
  const common = { tags: ['billing'], security: [{ sessionAuth: [] }] }

  app.get(
    '/v1/account/billing',
    {
      config: { rate: 'session' },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'getBilling',
        summary: 'Read the plan and its usage',
        response: responses(Billing),
      },
    },
    async request => presentBilling(await accounts.overview(accountOf(request))),
  )

  app.post(
    '/v1/account/billing/subscribe',
    {
      config: {
        rate: 'session',
        errors: [
          'unknown_plan',
          'billing_not_configured',
          'plan_never_ends',
          'idempotency_key_reused',
          'account_being_deleted',
          'too_many_orders',
        ],
      },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'subscribe',
        summary: 'Buy one period of a plan',
        description:
          'Returns an invoice; the plan starts when it is paid. Buying the current plan again adds a period. A different ' +
          'plan starts at once, and the unused time of the old one is credited. Accepts an `Idempotency-Key`.',
        headers: IdempotencyHeader,
        body: Subscribe,
        response: responses(CreatedInvoice),
      },
    },
    async request => {
      const key = parseIdempotencyKey(request.headers['idempotency-key'])
      return presentCreatedInvoice(await billing.subscribe(accountOf(request), request.body.plan, key))
    },
  )
}
