import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { named, nullable, wireSchema, Zat } from './common.ts'

export const Plan = wireSchema<Wire.Plan>()(
  named(
    'Plan',
    Type.Object({
      name: Type.String(),
      monthly_invoice_limit: nullable(Type.Integer({ description: 'Null: no limit.' })),
      price_zat: Zat('Price of one period.'),
      period_days: Type.Integer({ description: 'Length of a period in days.' }),
    }),
  ),
)
