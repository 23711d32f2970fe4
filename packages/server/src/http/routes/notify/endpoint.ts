import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { ENDPOINT_SECRET_CHARS, type Endpoint, SCHEDULES } from '../../../domain/notify/endpoint.ts'
import { EVENT_TYPES } from '../../../domain/notify/event.ts'
import { MAX_WEBHOOK_URL_CHARS } from '../../../domain/notify/webhook.ts'
import type { Endpoints } from '../../../services/notify/endpoint.ts'
import type { ScopedAccess } from '../../access.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf } from '../../auth.ts'
import {
  ERROR_RESPONSES,
  Id,
  IdParam,
  NO_CONTENT_RESPONSES,
  named,
  nullable,
  responses,
  stringEnum,
  UnixSecs,
  wireBody,
  wireObject,
} from '../../schema.ts'
import { EventTypeSchema } from './event.ts'
import { ACCEPTED_RESPONSES } from './webhook.ts'

const ScheduleSchema = named(
  'EndpointSchedule',
  stringEnum(
    SCHEDULES,
    'When a failed delivery is tried again. `standard`: after 10, 60 and 300 s. `persistent`: also after 30 minutes, then ' +
      'hourly for three days; meanwhile the later events wait, so that their order is kept.',
  ),
)

const types = Type.Unsafe<Wire.Endpoint['types']>({
  type: ['array', 'null'],
  items: EventTypeSchema,
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'The types that it gets. Null: all but `test`.',
})

const endpointMembers = {
  id: Id,
  url: Type.String(),
  types,
  schedule: ScheduleSchema,
  format: Type.Optional(
    stringEnum(['btcpay'], 'A shop plugin added it, and gets the events as BTCPay sends them. Absent for all others.'),
  ),
  enabled: Type.Boolean(),
  failing_since: nullable(
    UnixSecs('Since when all attempts have failed. Null: the last one succeeded, or there was none.'),
  ),
  paused_at: nullable(UnixSecs('When it was paused after three days of failures. Its events are kept.')),
  created_at: UnixSecs('Creation time.'),
  updated_at: UnixSecs('Time of the last change.'),
}

const secret = Type.String({ description: 'Signing secret. Shown only once.' })
const chosenSecret = Type.Optional(
  Type.String({
    minLength: ENDPOINT_SECRET_CHARS.min,
    maxLength: ENDPOINT_SECRET_CHARS.max,
    description:
      'Printable ASCII characters without spaces; after `whsec_` the base64 of the key. Default: a generated one, `whsec_…`.',
  }),
)

const url = Type.String({
  maxLength: MAX_WEBHOOK_URL_CHARS,
  description: 'Absolute https URL without credentials or fragment.',
})

const EndpointSchema = wireObject<Wire.Endpoint>()('Endpoint', endpointMembers)
const EndpointWithSecretSchema = wireObject<Wire.EndpointWithSecret>()('EndpointWithSecret', {
  ...endpointMembers,
  secret,
})
const changeMembers = {
  types: Type.Optional(types),
  schedule: Type.Optional(ScheduleSchema),
  enabled: Type.Optional(Type.Boolean({ description: 'True also ends a pause. Events from then on are sent.' })),
}
const CreateEndpointSchema = wireBody<Wire.CreateEndpointRequest>()('CreateEndpointRequest', {
  url,
  ...changeMembers,
  secret: chosenSecret,
})
const ChangeEndpointSchema = wireBody<Wire.ChangeEndpointRequest>()('ChangeEndpointRequest', {
  url: Type.Optional(url),
  ...changeMembers,
})
const RotateSecretSchema = wireBody<Wire.RotateEndpointSecretRequest>()('RotateEndpointSecretRequest', {
  secret: chosenSecret,
})
const RotatedEndpointSecretSchema = wireObject<Wire.RotatedSecret>()('RotatedEndpointSecret', { secret })
const RecoverSchema = wireBody<Wire.RecoverEndpointRequest>()('RecoverEndpointRequest', {
  since: UnixSecs('At most 30 days ago.'),
})
const RECOVERY_RESPONSES = {
  202: wireObject<Wire.EndpointRecovery>()('EndpointRecovery', {
    first_seq: nullable(
      Type.Integer({ description: 'The number of the first event since then. Null: there is none.' }),
    ),
  }),
  ...ERROR_RESPONSES,
}

function presentEndpoint(endpoint: Endpoint): Wire.Endpoint {
  return {
    id: endpoint.publicId,
    url: endpoint.url,
    types: endpoint.types && [...endpoint.types],
    schedule: SCHEDULES.find(name => name === endpoint.schedule) ?? 'standard',
    ...(endpoint.dialect === 'greenfield' && { format: 'btcpay' as const }),
    enabled: endpoint.enabled,
    failing_since: endpoint.failingSince,
    paused_at: endpoint.pausedAt,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
  }
}

const PATH = '/v1/account/endpoints'

export function endpointRoutes(app: App, { endpoints }: { endpoints: Endpoints }): void {
  const common = { tags: ['webhooks'] }
  const access: ScopedAccess = { scopes: ['webhooks:write'], or: 'session' }
  const changes: ScopedAccess = { scopes: ['webhooks:write'], or: 'recent-session' }
  const changeErrors = ['account_being_deleted', 'too_many_changes'] as const

  app.get(
    PATH,
    {
      config: { rate: 'list', access },
      schema: {
        ...common,
        operationId: 'listEndpoints',
        summary: 'List the endpoints, oldest first',
        description: 'At most ten, beside the webhook of the account.',
        response: responses(Type.Array(EndpointSchema)),
      },
    },
    async request => (await endpoints.list(accountOf(request))).map(presentEndpoint),
  )

  app.post(
    PATH,
    {
      config: { rate: 'session', access: changes, errors: [...changeErrors, 'too_many_endpoints'] },
      schema: {
        ...common,
        operationId: 'createEndpoint',
        summary: 'Create an endpoint',
        description:
          'It gets the events from now on. The response contains the signing secret, which is shown only once.',
        body: CreateEndpointSchema,
        response: responses(EndpointWithSecretSchema),
      },
    },
    async request => {
      const { endpoint, secret } = await endpoints.create(accountOf(request), request.body, actorOf(request))
      return { ...presentEndpoint(endpoint), secret }
    },
  )

  app.get(
    `${PATH}/:id`,
    {
      config: { rate: 'session', access, errors: ['no_such_endpoint'] },
      schema: {
        ...common,
        operationId: 'getEndpoint',
        summary: 'Read an endpoint',
        params: IdParam,
        response: responses(EndpointSchema),
      },
    },
    async request => presentEndpoint(await endpoints.read(accountOf(request), request.params.id)),
  )

  app.patch(
    `${PATH}/:id`,
    {
      config: { rate: 'session', access: changes, errors: [...changeErrors, 'no_such_endpoint'] },
      schema: {
        ...common,
        operationId: 'changeEndpoint',
        summary: 'Change an endpoint',
        description:
          'One that is enabled again, or resumed after a pause, gets the events from then on. `recover` sends the earlier ones.',
        params: IdParam,
        body: ChangeEndpointSchema,
        response: responses(EndpointSchema),
      },
    },
    async request => {
      const { params, body } = request
      return presentEndpoint(await endpoints.change(accountOf(request), params.id, body, actorOf(request)))
    },
  )

  app.delete(
    `${PATH}/:id`,
    {
      config: { rate: 'session', access: changes, errors: ['no_such_endpoint'] },
      schema: {
        ...common,
        operationId: 'removeEndpoint',
        summary: 'Remove an endpoint',
        description: 'Pending deliveries are canceled.',
        params: IdParam,
        response: NO_CONTENT_RESPONSES,
      },
    },
    async (request, reply) => {
      await endpoints.remove(accountOf(request), request.params.id, actorOf(request))
      return reply.code(204).send()
    },
  )

  app.post(
    `${PATH}/:id/rotate-secret`,
    {
      config: { rate: 'session', access: changes, errors: [...changeErrors, 'no_such_endpoint'] },
      schema: {
        ...common,
        operationId: 'rotateEndpointSecret',
        summary: 'Rotate the signing secret of an endpoint',
        description: 'For 24 hours the earlier secret signs too: `webhook-signature` then has two signatures.',
        params: IdParam,
        body: RotateSecretSchema,
        response: responses(RotatedEndpointSecretSchema),
      },
    },
    async request => {
      const { params, body } = request
      return { secret: await endpoints.rotateSecret(accountOf(request), params.id, body.secret, actorOf(request)) }
    },
  )

  app.post(
    `${PATH}/:id/test`,
    {
      config: {
        rate: 'session',
        access,
        errors: ['no_such_endpoint', 'endpoint_disabled', 'too_many_deliveries'],
      },
      schema: {
        ...common,
        operationId: 'testEndpoint',
        summary: 'Send a test event to an endpoint',
        params: IdParam,
        response: ACCEPTED_RESPONSES,
      },
    },
    async (request, reply) => {
      const deliveryId = await endpoints.test(accountOf(request), request.params.id)
      return reply.code(202).send({ delivery_id: deliveryId })
    },
  )

  app.post(
    `${PATH}/:id/recover`,
    {
      config: {
        rate: 'session',
        access,
        errors: [...changeErrors, 'no_such_endpoint', 'endpoint_disabled'],
      },
      schema: {
        ...common,
        operationId: 'recoverEndpoint',
        summary: 'Send again what was never delivered to an endpoint',
        description: 'All events since a time, in their order, without those that it has received.',
        params: IdParam,
        body: RecoverSchema,
        response: RECOVERY_RESPONSES,
      },
    },
    async (request, reply) => {
      const { params, body } = request
      const first = await endpoints.recover(accountOf(request), params.id, body.since, actorOf(request))
      return reply.code(202).send({ first_seq: first })
    },
  )
}
