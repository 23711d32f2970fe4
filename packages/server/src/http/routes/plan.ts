import { Type } from 'typebox'
import type { Billing } from '../../services/billing.ts'
import type { App } from '../app.ts'
import { presentPlan } from '../presenters/plan.ts'
import { Plan } from '../schemas/plan.ts'
import { responses } from '../schemas/response.ts'

export function planRoutes(app: App, { billing }: { billing: Billing }): void {
  app.get(
    '/v1/plans',
    {
      config: { cors: true, rate: 'read' },
      schema: {
        operationId: 'listPlans',
        summary: 'List the plans',
        tags: ['billing'],
        response: responses(Type.Array(Plan)),
      },
    },
    () => billing.plans.map(presentPlan),
  )
}
