import { createHmac } from 'node:crypto'
import { WEBHOOK_SECRET_PREFIX } from './webhook.ts'

/**
 * The headers that sign a delivery. `X-Service-Signature`: hex HMAC-SHA256 of the body, keyed with the whole secret as UTF-8. The other headers follow
 * Standard Webhooks and are keyed with the decoded bytes of the secret.
 */
export function webhookSignatures(secret: string, id: string, atSecs: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64')
  const signed = createHmac('sha256', key).update(`${id}.${atSecs}.${body}`).digest('base64')
  return {
    'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(atSecs),
    'webhook-signature': `v1,${signed}`,
  }
}
