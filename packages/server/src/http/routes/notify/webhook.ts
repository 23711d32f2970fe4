import type * as Wire from '@zatgate/sdk/wire'
import { Type } from 'typebox'
import { MAX_ATTEMPTS } from '../../../domain/notify/delivery-schedule.ts'
import { MAX_WEBHOOK_URL_CHARS } from '../../../domain/notify/webhook.ts'
import type { AttemptRow } from '../../../ports/repository/notify/delivery.ts'
import type { Webhook } from '../../../ports/repository/notify/webhook.ts'
import type { Webhooks } from '../../../services/notify/webhook.ts'
import type { App } from '../../app.ts'
import { accountOf, actorOf } from '../../auth.ts'
import {
  ERROR_RESPONSES,
  Id,
  NO_CONTENT_RESPONSES,
  nullable,
  PageQuery,
  parsePage,
  responses,
  UnixSecs,
  wireBody,
  wireObject,
  wireQuery,
} from '../../schema.ts'
import { EventTypeSchema } from './event.ts'

const webhookMembers = {
  url: Type.String(),
  created_at: UnixSecs('Creation time.'),
  updated_at: UnixSecs('Time of the last change of the URL or the secret.'),
}

const secret = Type.String({ description: 'Signing secret, `whsec_…`. Shown only once.' })

const WebhookSchema = wireObject<Wire.Webhook>()('Webhook', webhookMembers)

const WebhookWithSecretSchema = wireObject<Wire.WebhookWithSecret>()('WebhookWithSecret', {
  ...webhookMembers,
  secret: Type.Optional(secret),
})

const RotatedSecretSchema = wireObject<Wire.RotatedSecret>()('RotatedSecret', { secret })

const SetWebhookSchema = wireBody<Wire.SetWebhookRequest>()('SetWebhookRequest', {
  url: Type.String({
    maxLength: MAX_WEBHOOK_URL_CHARS,
    description: 'Absolute https URL without credentials or fragment.',
  }),
})

export const ACCEPTED_RESPONSES = {
  202: wireObject<Wire.DeliveryAccepted>()('DeliveryAccepted', { delivery_id: Id }),
  ...ERROR_RESPONSES,
}

const DeliveryParam = Type.Object({ delivery_id: Id })

const DeliveryQuery = wireQuery<Wire.DeliveryQuery>()({
  ...PageQuery.properties,
  invoice_id: Type.Optional(Type.String({ description: 'Returns only attempts for this invoice.' })),
})

const DeliveryAttemptSchema = wireObject<Wire.DeliveryAttempt>()('DeliveryAttempt', {
  id: Id,
  delivery_id: Type.String({
    description:
      'UUID of the delivery. The webhook of the account gets it in the header `webhook-id` of every attempt.',
  }),
  endpoint_id: Type.Optional(
    Type.String({ description: 'The endpoint that it was sent to. Absent: the webhook of the account.' }),
  ),
  invoice_id: nullable(Id),
  event_type: EventTypeSchema,
  url: Type.String(),
  status_code: nullable(Type.Integer({ description: 'HTTP status of the response. Null: no response.' })),
  error: nullable(Type.String({ description: 'Null: success, or in progress.' })),
  attempt: Type.Integer({
    description: `1 to ${MAX_ATTEMPTS}; more for an endpoint with the schedule \`persistent\`.`,
  }),
  duration_ms: nullable(Type.Integer({ description: 'Null: in progress, or interrupted.' })),
  created_at: UnixSecs('Start time.'),
})

function presentWebhook({ url, createdAt, updatedAt }: Webhook): Wire.Webhook {
  return { url, created_at: createdAt, updated_at: updatedAt }
}

function presentAttempt(attempt: AttemptRow): Wire.DeliveryAttempt {
  return {
    id: attempt.publicId,
    delivery_id: attempt.deliveryPublicId,
    ...(attempt.endpointPublicId !== null && { endpoint_id: attempt.endpointPublicId }),
    invoice_id: attempt.invoicePublicId,
    event_type: attempt.eventType,
    url: attempt.url,
    status_code: attempt.statusCode,
    error: attempt.error,
    attempt: attempt.attempt,
    duration_ms: attempt.durationMs,
    created_at: attempt.createdAt,
  }
}

export function webhookRoutes(app: App, { webhooks }: { webhooks: Webhooks }): void {
  const common = { tags: ['webhooks'] }

  app.get(
    '/v1/account/webhook',
    {
      config: { rate: 'session', access: 'session', errors: ['webhook_not_set'] },
      schema: { ...common, operationId: 'getWebhook', summary: 'Read the webhook', response: responses(WebhookSchema) },
    },
    async request => presentWebhook(await webhooks.read(accountOf(request))),
  )

  app.put(
    '/v1/account/webhook',
    {
      config: {
        rate: 'session',
        access: 'recent-session',
        errors: ['account_being_deleted', 'webhook_removed', 'too_many_changes'],
      },
      schema: {
        ...common,
        operationId: 'setWebhook',
        summary: 'Set the webhook URL',
        description: 'The first response contains the signing secret, which is shown only once.',
        body: SetWebhookSchema,
        response: responses(WebhookWithSecretSchema),
      },
    },
    async request => {
      const { webhook, secret } = await webhooks.set(accountOf(request), request.body.url, actorOf(request))
      return { ...presentWebhook(webhook), ...(secret !== null && { secret }) }
    },
  )

  app.delete(
    '/v1/account/webhook',
    {
      config: { rate: 'session', access: 'recent-session', errors: ['webhook_not_set'] },
      schema: {
        ...common,
        operationId: 'removeWebhook',
        summary: 'Remove the webhook',
        description: 'Pending deliveries are canceled.',
        response: NO_CONTENT_RESPONSES,
      },
    },
    async (request, reply) => {
      await webhooks.remove(accountOf(request), actorOf(request))
      return reply.code(204).send()
    },
  )

  app.post(
    '/v1/account/webhook/rotate-secret',
    {
      config: {
        rate: 'session',
        access: 'recent-session',
        errors: ['account_being_deleted', 'webhook_required', 'too_many_changes'],
      },
      schema: {
        ...common,
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the signing secret',
        description: 'The old secret stops working at once, also for queued retries.',
        response: responses(RotatedSecretSchema),
      },
    },
    async request => ({ secret: await webhooks.rotateSecret(accountOf(request), actorOf(request)) }),
  )

  app.post(
    '/v1/account/webhook/test',
    {
      config: {
        rate: 'session',
        access: { scopes: ['webhooks:write'], or: 'session' },
        errors: ['webhook_required', 'too_many_deliveries'],
      },
      schema: {
        ...common,
        operationId: 'testWebhook',
        summary: 'Send a test event',
        response: ACCEPTED_RESPONSES,
      },
    },
    async (request, reply) => {
      const deliveryId = await webhooks.test(accountOf(request))
      return reply.code(202).send({ delivery_id: deliveryId })
    },
  )

  app.get(
    '/v1/account/webhook/deliveries',
    {
      config: { rate: 'list', access: { scopes: ['webhooks:write'], or: 'session' } },
      schema: {
        ...common,
        operationId: 'listDeliveries',
        summary: 'List the delivery attempts, newest first',
        description: 'Those of the webhook and of the endpoints. Kept for 30 days.',
        querystring: DeliveryQuery,
        response: responses(Type.Array(DeliveryAttemptSchema)),
      },
    },
    async request => {
      const { invoice_id, ...page } = request.query
      const attempts = await webhooks.attempts(accountOf(request), parsePage(page), invoice_id)
      return attempts.map(presentAttempt)
    },
  )

  app.post(
    '/v1/account/webhook/deliveries/:delivery_id/resend',
    {
      config: {
        rate: 'session',
        access: { scopes: ['webhooks:write'], or: 'session' },
        errors: [
          'no_such_delivery',
          'webhook_required',
          'no_such_endpoint',
          'endpoint_disabled',
          'too_many_deliveries',
        ],
      },
      schema: {
        ...common,
        operationId: 'resendDelivery',
        summary: 'Resend a delivery',
        description:
          'Sends the same body again, to the webhook or the endpoint that it went to, as a new delivery with its own attempts.',
        params: DeliveryParam,
        response: ACCEPTED_RESPONSES,
      },
    },
    async (request, reply) => {
      const deliveryId = await webhooks.resend(accountOf(request), request.params.delivery_id)
      return reply.code(202).send({ delivery_id: deliveryId })
    },
  )
}
