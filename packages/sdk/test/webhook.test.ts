import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import type { VerifyOptions, WebhookHeaders } from '../src/webhook.ts'
import { verifyWebhook, WebhookVerificationError } from '../src/webhook.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const NOW_SECS = 1_790_000_000
const AT_NOW: VerifyOptions = { nowMs: NOW_SECS * 1000 }
const PLAIN: VerifyOptions = { scheme: 'service' }
const BODY = '{"type":"test","invoice_id":null}'

function service(body: string | Uint8Array, secret = SECRET): Record<string, string> {
  return { 'x-service-signature': createHmac('sha256', secret).update(body).digest('hex') }
}

function standard(body: string, secret = SECRET, atSecs = NOW_SECS): Record<string, string> {
  return {
    'webhook-id': 'delivery-1',
    'webhook-timestamp': String(atSecs),
    'webhook-signature': new Webhook(secret).sign('delivery-1', new Date(atSecs * 1000), body),
  }
}

async function assertRejected(code: string, ...[body, headers, secret, options]: Parameters<typeof verifyWebhook>) {
  await assert.rejects(verifyWebhook(body, headers, secret, options), (error: unknown) => {
    assert.ok(error instanceof WebhookVerificationError)
    assert.equal(error.code, code)
    return true
  })
}

test('the Standard Webhooks signature verifies the event by default, the plain one when it is asked for', async () => {
  const event = { type: 'test', invoice_id: null }
  const both = { ...service(BODY), ...standard(BODY) }
  for (const headers of [standard(BODY), both])
    assert.deepEqual(await verifyWebhook(BODY, headers, SECRET, AT_NOW), event)
  for (const headers of [service(BODY), both])
    assert.deepEqual(await verifyWebhook(BODY, headers, SECRET, PLAIN), event)
})

test('a delivery of 90 days ago is refused, also without its webhook headers', async () => {
  const old = { ...service(BODY), ...standard(BODY, SECRET, NOW_SECS - 90 * 86_400) }
  await assertRejected('too_old', BODY, old, SECRET, AT_NOW)
  await assertRejected('missing_signature', BODY, service(BODY), SECRET, AT_NOW)
  const { 'webhook-signature': _, ...withoutSignature } = old
  await assertRejected('missing_signature', BODY, withoutSignature, SECRET, AT_NOW)
})

test('a secret with a line end or spaces around it is the same secret', async () => {
  const headers = { ...service(BODY), ...standard(BODY) }
  for (const secret of [`${SECRET}\n`, `${SECRET}\r\n`, ` ${SECRET} `, `\t${SECRET}`]) {
    await verifyWebhook(BODY, headers, secret, AT_NOW)
    await verifyWebhook(BODY, headers, secret, PLAIN)
  }
})

test('headers may be fetch Headers, Node headers or in any letter case', async () => {
  const headers = { ...service(BODY), ...standard(BODY) }
  const upperCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  const listed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  for (const form of [new Headers(headers), upperCase, listed] satisfies WebhookHeaders[]) {
    await verifyWebhook(BODY, form, SECRET, AT_NOW)
  }
})

test('a signature is valid only for exactly the signed bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.uint8Array({ minLength: 32, maxLength: 32 }), async (json, key) => {
      const body = JSON.stringify({ type: 'test', json })
      const secret = `whsec_${Buffer.from(key).toString('base64')}`
      const headers = { ...service(body, secret), ...standard(body, secret) }
      for (const options of [AT_NOW, PLAIN]) {
        await verifyWebhook(Buffer.from(body), headers, secret, options)
        await assertRejected('bad_signature', `${body} `, headers, secret, options)
      }
    }),
    { numRuns: 50 },
  )
})

test('the signature that is not required is ignored', async () => {
  const other = `whsec_${randomBytes(32).toString('base64')}`
  await verifyWebhook(BODY, { ...service(BODY, other), ...standard(BODY) }, SECRET, AT_NOW)
  await verifyWebhook(BODY, { ...service(BODY), ...standard(BODY, other) }, SECRET, PLAIN)
  await assertRejected('bad_signature', BODY, { ...service(BODY), ...standard(BODY, other) }, SECRET, AT_NOW)
  await assertRejected('bad_signature', BODY, { ...service(BODY, other), ...standard(BODY) }, SECRET, PLAIN)
})

test('one valid signature among several Standard Webhooks signatures is enough', async () => {
  const headers = standard(BODY)
  const several = `v2,AAAA v1,AAAA v1,!!! ${headers['webhook-signature']}`
  await verifyWebhook(BODY, { ...headers, 'webhook-signature': several }, SECRET, AT_NOW)
})

test('a required scheme is not satisfied by the other one', async () => {
  await assertRejected('missing_signature', BODY, service(BODY), SECRET, AT_NOW)
  await assertRejected('missing_signature', BODY, standard(BODY), SECRET, PLAIN)
  await assertRejected('missing_signature', BODY, {}, SECRET, AT_NOW)
  const { 'webhook-id': _, ...partial } = standard(BODY)
  await assertRejected('missing_signature', BODY, partial, SECRET, AT_NOW)
})

test('the replay window is 300 s in both directions by default', async () => {
  for (const secs of [-300, 300]) await verifyWebhook(BODY, standard(BODY, SECRET, NOW_SECS + secs), SECRET, AT_NOW)
  await assertRejected('too_old', BODY, standard(BODY, SECRET, NOW_SECS - 301), SECRET, AT_NOW)
  await assertRejected('too_new', BODY, standard(BODY, SECRET, NOW_SECS + 301), SECRET, AT_NOW)
  const options = { ...AT_NOW, toleranceSecs: 10 }
  await assertRejected('too_old', BODY, standard(BODY, SECRET, NOW_SECS - 11), SECRET, options)
  await assertRejected('bad_timestamp', BODY, { ...standard(BODY), 'webhook-timestamp': '1e9' }, SECRET, AT_NOW)
})

test('a malformed signature is rejected as bad_signature', async () => {
  const valid = service(BODY)['x-service-signature'] as string
  for (const hex of [valid.toUpperCase(), valid.slice(1), `${valid}00`, '', `${valid} ${valid}`]) {
    await assertRejected('bad_signature', BODY, { 'x-service-signature': hex }, SECRET, PLAIN)
  }
})

test('a parsed body, a bad secret and a body that is not an event each have a code', async () => {
  await assertRejected('raw_body_required', JSON.parse(BODY), service(BODY), SECRET)
  for (const secret of ['', 'whsec_', 'secret', 'whsec_!', SECRET.slice(6)]) {
    await assertRejected('bad_secret', BODY, service(BODY), secret)
  }
  for (const body of ['', 'null', '[]', '{"type":1}', '{"type":'])
    await assertRejected('bad_body', body, standard(body), SECRET, AT_NOW)
  const invalidUtf8 = Uint8Array.of(0x22, 0xff, 0x22)
  await assertRejected('bad_body', invalidUtf8, service(invalidUtf8), SECRET, PLAIN)
})
