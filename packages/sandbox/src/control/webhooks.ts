import { integer, invalidField, oneOf, optional, text } from '../http/fields.ts'
import type { JsonRequest, Route } from '../http/json-server.ts'
import type { Answer, Delivery, WebhookReceiver } from '../webhook-receiver.ts'

const KINDS = ['status', 'redirect', 'hang', 'reset', 'drip', 'huge'] as const
const MAX_ANSWERS = 1000
const MAX_DELAY_MS = 600_000
const MAX_HUGE_BYTES = 10_000_000_000

/** Shows what came to the webhook receiver, and says what it answers. */
export function webhookRoutes(receiver: WebhookReceiver): Route[] {
  function script({ body }: JsonRequest) {
    const path = optional(body, 'path', text) ?? '/'
    const url = new URL(`.${path}`, receiver.url)
    if (url.pathname + url.search !== path)
      throw invalidField('path', 'must be a path as it is requested, such as /shop')
    const answers = answersOf(body.answers)
    receiver.script(answers, path)
    return { url: url.href, path, answers: answers.length }
  }

  return [
    { method: 'GET', path: '/webhooks', handle: () => receiver.deliveries.map(deliveryRow) },
    { method: 'POST', path: '/webhooks', fields: ['path', 'answers'], handle: script },
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

function answersOf(value: unknown): Answer[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ANSWERS) {
    throw invalidField('answers', `must be an array of 1 to ${MAX_ANSWERS} answers`)
  }
  return value.map(answerOf)
}

function answerOf(value: unknown): Answer {
  if (typeof value !== 'object' || value === null) throw invalidField('answers', 'each must be an object with a kind')
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
    case 'drip':
      return { kind, intervalMs: optional(row, 'interval_ms', integer(1, MAX_DELAY_MS)) ?? 1000 }
    case 'huge':
      return { kind, bytes: optional(row, 'bytes', integer(0, MAX_HUGE_BYTES)) ?? 1_000_000_000 }
    default:
      return { kind }
  }
}
