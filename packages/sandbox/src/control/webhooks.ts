import { integer, invalidField, oneOf, optional, text } from '../http/fields.ts'
import { get, type JsonRequest, post, type Route } from '../http/json-server.ts'
import type { Delivery, WebhookReceiver, WebhookResponse } from '../webhook-receiver.ts'

const KINDS = ['status', 'redirect', 'hang', 'reset', 'slow_body', 'large_body'] as const
const MAX_RESPONSES = 1000
const MAX_DELAY_MS = 600_000
const MAX_LARGE_BYTES = 10_000_000_000

/** The routes that show the received webhooks and script the responses. */
export function webhookRoutes(receiver: WebhookReceiver): Route[] {
  const deliveries = () => receiver.deliveries.map(deliveryRow)

  function script({ body }: JsonRequest) {
    const path = optional(body, 'path', text) ?? '/'
    const url = new URL(`.${path}`, receiver.url)
    if (url.pathname + url.search !== path) throw invalidField('path', 'must be an encoded path, such as /shop')
    const responses = parseResponses(body.responses)
    receiver.script(responses, path)
    return { url: url.href, path, responses: responses.length }
  }

  return [
    get('/webhooks', 'The requests that the webhook receiver has received.', deliveries),
    post('/webhooks', 'Scripts the responses of the webhook receiver.', ['path', 'responses'], script),
  ]
}

function deliveryRow({ method, path, headers, body, receivedAtMs }: Delivery) {
  return {
    method,
    path,
    headers,
    body: body.toString('utf8'),
    body_base64: body.toString('base64'),
    received_at_ms: receivedAtMs,
  }
}

function parseResponses(value: unknown): WebhookResponse[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_RESPONSES) {
    throw invalidField('responses', `must be an array of 1 to ${MAX_RESPONSES} responses`)
  }
  return value.map(parseResponse)
}

function parseResponse(value: unknown): WebhookResponse {
  if (typeof value !== 'object' || value === null) throw invalidField('responses', 'each must be an object with a kind')
  const row = value as Record<string, unknown>
  const kind = oneOf(KINDS)(row, 'kind')
  switch (kind) {
    case 'status': {
      const body = optional(row, 'body', text)
      const delayMs = optional(row, 'delay_ms', integer(0, MAX_DELAY_MS))
      const status = integer(200, 599)(row, 'status')
      return { kind, status, ...(body !== undefined && { body }), ...(delayMs !== undefined && { delayMs }) }
    }
    case 'redirect':
      return { kind, location: text(row, 'location') }
    case 'slow_body':
      return { kind, intervalMs: optional(row, 'interval_ms', integer(1, MAX_DELAY_MS)) ?? 1000 }
    case 'large_body':
      return { kind, bytes: optional(row, 'bytes', integer(0, MAX_LARGE_BYTES)) ?? 1_000_000_000 }
    default:
      return { kind }
  }
}
