import type * as Wire from '@zatgate/sdk/wire'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { invalidField } from '../../../domain/error.ts'
import { EVENT_TYPES, type EventType } from '../../../domain/notify/event.ts'
import { RawJson, stringify } from '../../../domain/raw-json.ts'
import type { Event } from '../../../ports/repository/notify/event.ts'
import type { EventFeed } from '../../../services/notify/event-feed.ts'
import type { App } from '../../app.ts'
import { accountOf } from '../../auth.ts'
import { Id, named, responses, stringEnum, UnixSecs, wireObject, wireQuery } from '../../schema.ts'

export const EventTypeSchema = named('EventType', stringEnum(EVENT_TYPES, 'Event type.'))

const MAX_WAIT_SECS = 30
/** A connection on which nothing is sent for a while is closed: this much later than the wait. */
const STALLED_AFTER_MS = 30_000
const NEXT_AFTER_HEADER = 'x-next-after'

const EventQuery = wireQuery<Wire.EventQuery>()({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The `seq` of the last event that was read. Default: from the oldest that is kept.',
    }),
  ),
  types: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Types separated by commas, such as `invoice.paid`. Default: all.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_SECS,
      description: 'How many seconds to wait for the first event. Default 0.',
    }),
  ),
})

const FeedEventSchema = wireObject<Wire.FeedEvent>()('FeedEvent', {
  seq: Type.Integer({ description: 'Counts the events of the account from 1 on. A restored service leaves a gap.' }),
  id: Id,
  type: EventTypeSchema,
  created_at: UnixSecs('When it happened.'),
  body: Type.Unsafe<Wire.WebhookEvent>({
    type: 'object',
    description: 'The body of the event, with exactly the bytes that a webhook gets.',
  }),
})

/** @throws AppError `invalid_types` */
function parseEventTypes(text: string): EventType[] {
  const isEventType = (text: string): text is EventType => (EVENT_TYPES as readonly string[]).includes(text)
  const types = [...new Set(text.split(','))]
  if (types.every(isEventType)) return types
  throw invalidField('types', `some of ${EVENT_TYPES.join(', ')}`)
}

function presentEvent({ seq, publicId, type, createdAt, body }: Event) {
  return { seq, id: publicId, type, created_at: createdAt, body: new RawJson(body) }
}

/** Aborts when the client closes the connection before its response, and has aborted if it already did. */
function closeSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (raw.destroyed) controller.abort()
  raw.once('close', () => controller.abort())
  return controller.signal
}

export function eventRoutes(app: App, { eventFeed }: { eventFeed: EventFeed }): void {
  app.get(
    '/v1/account/events',
    {
      config: {
        rate: 'session',
        isLong: true,
        access: { scopes: ['events:read'], or: 'session' },
        errors: ['events_pruned', 'too_many_event_readers'],
      },
      schema: {
        operationId: 'listEvents',
        summary: 'Read the events of the account, oldest first',
        description:
          'Follow them with `after`: the `seq` of the last event, or the response header `X-Next-After`, which also passes ' +
          'events of other types. Nothing is ever added behind a number that was read. Kept for 90 days.',
        tags: ['feed'],
        querystring: EventQuery,
        response: responses(Type.Array(FeedEventSchema)),
      },
    },
    async (request, reply) => {
      const { after, types, limit = 50, wait = 0 } = request.query
      const waitMs = wait * 1000
      const query = { after, types: types === undefined ? undefined : parseEventTypes(types), limit, waitMs }
      if (waitMs > 0) request.raw.socket.setTimeout(waitMs + STALLED_AFTER_MS)
      const { events, nextAfter } = await eventFeed.read(accountOf(request), query, closeSignal(reply))
      reply.header(NEXT_AFTER_HEADER, nextAfter)
      reply.type('application/json; charset=utf-8').serializer(payload => stringify(payload as object))
      return events.map(presentEvent) as unknown as Wire.FeedEvent[]
    },
  )
}
