import { Type } from 'typebox'
import type { Webhooks } from '../../services/webhook.ts'
import type { App } from '../app.ts'
import { type Auth, accountOf, actorOf } from '../auth.ts'
import { presentAttempt } from '../presenters/delivery.ts'
import { presentWebhook } from '../presenters/webhook.ts'
import { DeliveryAccepted, DeliveryAttempt, DeliveryParam, DeliveryQuery } from '../schemas/delivery.ts'
import { parsePage } from '../schemas/page.ts'
import { acceptedResponses, NO_CONTENT_RESPONSES, responses } from '../schemas/response.ts'
import { RotatedSecret, SetWebhook, Webhook, WebhookWithSecret } from '../schemas/webhook.ts'

export function webhookRoutes(app: App, { webhooks, auth }: { webhooks: Webhooks; auth: Auth }): void {
  const common = { tags: ['webhooks'], security: [{ sessionAuth: [] }] }

  app.get(
    '/v1/account/webhook',
    {
      config: { rate: 'session', errors: ['webhook_not_set'] },
      onRequest: auth.requireSession,
      schema: { ...common, operationId: 'getWebhook', summary: 'Read the webhook', response: responses(Webhook) },
    },
    async request => presentWebhook(await webhooks.read(accountOf(request))),
  )

  app.put(
    '/v1/account/webhook',
    {
      config: {
        rate: 'session',
        errors: ['recent_sign_in_required', 'account_being_deleted', 'webhook_removed', 'too_many_changes'],
      },
      onRequest: auth.requireRecentSignIn,
      schema: {
        ...common,
        operationId: 'setWebhook',
        summary: 'Set the webhook URL',
        description: 'The first response contains the signing secret, which is shown only once.',
        body: SetWebhook,
        response: responses(WebhookWithSecret),
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
      config: { rate: 'session', errors: ['recent_sign_in_required', 'webhook_not_set'] },
      onRequest: auth.requireRecentSignIn,
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
        errors: ['recent_sign_in_required', 'account_being_deleted', 'webhook_required', 'too_many_changes'],
      },
      onRequest: auth.requireRecentSignIn,
      schema: {
        ...common,
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the signing secret',
        description: 'The old secret stops working at once, also for queued retries.',
        response: responses(RotatedSecret),
      },
    },
    async request => ({ secret: await webhooks.rotateSecret(accountOf(request), actorOf(request)) }),
  )

  app.post(
    '/v1/account/webhook/test',
    {
      config: { rate: 'session', errors: ['webhook_required', 'too_many_deliveries'] },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'testWebhook',
        summary: 'Send a test event',
        response: acceptedResponses(DeliveryAccepted),
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
      config: { rate: 'list' },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'listDeliveries',
        summary: 'List the delivery attempts, newest first',
        description: 'Kept for 30 days.',
        querystring: DeliveryQuery,
        response: responses(Type.Array(DeliveryAttempt)),
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
      config: { rate: 'session', errors: ['no_such_delivery', 'webhook_required', 'too_many_deliveries'] },
      onRequest: auth.requireSession,
      schema: {
        ...common,
        operationId: 'resendDelivery',
        summary: 'Resend a delivery',
        description: 'Sends the same body as a new delivery with its own four attempts.',
        params: DeliveryParam,
        response: acceptedResponses(DeliveryAccepted),
      },
    },
    async (request, reply) => {
      const deliveryId = await webhooks.resend(accountOf(request), request.params.delivery_id)
      return reply.code(202).send({ delivery_id: deliveryId })
    },
  )
}
