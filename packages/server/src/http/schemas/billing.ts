import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { named, noExtraFields, nullable, UnixSecs, wireSchema } from './common.ts'

export const MonthlyUsage = wireSchema<Wire.MonthlyUsage>()(
  named(
    'MonthlyUsage',
    Type.Object({
      used: Type.Integer(),
      limit: nullable(Type.Integer({ description: 'Null: no limit.' })),
      resets_at: UnixSecs('The first of the next month, UTC.'),
    }),
  ),
)

export const Billing = wireSchema<Wire.Billing>()(
  named(
    'Billing',
    Type.Object({
      plan: Type.String(),
      expires_at: nullable(UnixSecs('Null: the plan does not expire.')),
      invoices_this_month: MonthlyUsage,
    }),
  ),
)

export const Subscribe = wireSchema<Wire.SubscribeRequest>()(
  named(
    'SubscribeRequest',
    Type.Object({ plan: Type.String({ description: 'A plan name from GET /v1/plans.' }) }, noExtraFields),
  ),
)
