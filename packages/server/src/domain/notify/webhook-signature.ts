import { createHmac } from 'node:crypto'
import { WEBHOOK_SECRET_PREFIX } from './webhook.ts'

/**
 * The headers that sign a delivery. `X-Service-Signature`: hex HMAC-SHA256 of the body, keyed with the whole secret as
 * UTF-8. The other headers follow Standard Webhooks.
 * @param secrets the newest first; `webhook-signature` has a signature for each, `X-Service-Signature` is that of the newest
 */
export function webhookSignatures(
  secrets: readonly [string, ...string[]],
  id: string,
  atSecs: number,
  body: string,
): Record<string, string> {
  const content = `${id}.${atSecs}.${body}`
  const signed = secrets.map(secret => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`)
  return {
    'x-service-signature': createHmac('sha256', secrets[0]).update(body).digest('hex'),
    'webhook-id': id,
    'webhook-timestamp': String(atSecs),
    'webhook-signature': signed.join(' '),
  }
}

/** The header `BTCPay-Sig`: hex HMAC-SHA256 of the body, keyed with the whole secret as UTF-8. */
export function greenfieldSignature(secret: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** The bytes that `whsec_…` encodes, as Standard Webhooks says, or the text of a secret that a client has chosen. */
function keyOf(secret: string): Uint8Array {
  return secret.startsWith(WEBHOOK_SECRET_PREFIX)
    ? Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret)
}
