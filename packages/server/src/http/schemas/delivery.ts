import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_ATTEMPTS } from '../../domain/delivery-schedule.ts'
import { EVENT_TYPES } from '../../domain/event.ts'
import { Id, named, nullable, stringEnum, UnixSecs, wireSchema } from './common.ts'
import { PageQuery } from './page.ts'

const EventType = named('EventType', stringEnum(EVENT_TYPES, 'Event type.'))

export const DeliveryAccepted = wireSchema<Wire.DeliveryAccepted>()(
  named('DeliveryAccepted', Type.Object({ delivery_id: Id })),
)

export const DeliveryParam = Type.Object({ delivery_id: Id })

export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  invoice_id: Type.Optional(Type.String({ description: 'Returns only attempts for this invoice.' })),
})

export const DeliveryAttempt = wireSchema<Wire.DeliveryAttempt>()(
  named(
    'DeliveryAttempt',
    Type.Object({
      id: Id,
      delivery_id: Type.String({
        description: 'UUID, sent in the header `webhook-id` of every attempt of the delivery.',
      }),
      invoice_id: nullable(Id),
      event_type: EventType,
      url: Type.String(),
      status_code: nullable(Type.Integer({ description: 'HTTP status of the response. Null: no response.' })),
      error: nullable(Type.String({ description: 'Null: success, or in progress.' })),
      attempt: Type.Integer({ description: `1 to ${MAX_ATTEMPTS}.` }),
      duration_ms: nullable(Type.Integer({ description: 'Null: in progress, or interrupted.' })),
      created_at: UnixSecs('Start time.'),
    }),
  ),
)
