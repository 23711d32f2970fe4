import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import { createHttpClient } from '../../../../src/adapters/http-client/client.ts'
import { MAX_OPEN_DELIVERIES } from '../../../../src/domain/notify/delivery.ts'
import { startDeliveryWorker } from '../../../../src/workers/notify/delivery.ts'
import { type Merchant, startTestApi } from '../../../harness/api.ts'
import { type CallOptions, call } from '../../../harness/http-call.ts'
import { until } from '../../../harness/until.ts'

const URL = 'https://shop.example/webhook'
const WEBHOOK = '/v1/account/webhook'

/** Sends also to this host. */
const webhookHttp = createHttpClient({ allowPrivate: true })

const api = await startTestApi({ webhookHttp })
after(async () => {
  await api.close()
  webhookHttp.close()
})

const as = (user: Merchant, line: string, options: CallOptions = {}) =>
  call(api, line, { token: user.sessionToken, ...options })
const set = (user: Merchant, url: unknown = URL) => as(user, `PUT ${WEBHOOK}`, { json: { url } })

test('the first PUT shows the secret once, and the URL can be read, changed and removed', async () => {
  const user = await api.merchant()
  const now = api.clock.secs
  const notSet = { code: 'webhook_not_set', message: 'webhook not set' }
  const missing = await as(user, `GET ${WEBHOOK}`)
  assert.deepEqual([missing.status, missing.body], [404, notSet])

  const first = await set(user)
  const { secret, ...webhook } = first.body
  assert.equal(first.status, 200)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(webhook, { url: URL, created_at: now, updated_at: now })
  assert.deepEqual((await as(user, `GET ${WEBHOOK}`)).body, webhook)

  const second = await set(user, `${URL}/2`)
  assert.deepEqual(second.body, { ...webhook, url: `${URL}/2` })

  assert.equal((await as(user, `DELETE ${WEBHOOK}`)).status, 204)
  assert.equal((await as(user, `DELETE ${WEBHOOK}`)).status, 404)
  assert.equal((await as(user, `GET ${WEBHOOK}`)).status, 404)
  const recreated = await set(user)
  assert.match(recreated.body.secret, /^whsec_/)
  assert.notEqual(recreated.body.secret, secret)
})

test('tests and resends are rejected while too many deliveries of the account wait', async () => {
  const [user, other] = [await api.merchant(), await api.merchant()]
  for (const owner of [user, other]) await set(owner)
  const send = (owner: Merchant) => as(owner, `POST ${WEBHOOK}/test`)
  const { body } = await send(user)
  const wait = {
    accountId: user.account.id,
    invoiceId: null,
    eventSeq: 1,
    eventType: 'test',
    url: null,
    createdAt: 0,
    dueAtMs: 0,
  } as const
  const many = Array.from({ length: MAX_OPEN_DELIVERIES - 2 }, () => ({ ...wait, publicId: randomUUID() }))
  await api.store.write(tx => tx.deliveries.insert(many))

  assert.equal((await send(user)).status, 202)
  const refused = await send(user)
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_deliveries'])
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal((await as(user, `POST ${WEBHOOK}/deliveries/${body.delivery_id}/resend`)).status, 429)
  assert.equal((await send(other)).status, 202)
})

test('a forbidden URL is rejected with the reason', async () => {
  const user = await api.merchant()
  for (const url of [
    '',
    'shop.example',
    'http://shop.example/',
    `${URL}#top`,
    'https://a:b@shop.example/',
    ` ${URL}`,
  ]) {
    const { status, body } = await set(user, url)
    assert.deepEqual([status, body.code, body.message], [400, 'invalid_url', 'invalid url'], url)
    assert.ok(body.detail.length > 0)
  }
  const detail = async (url: string) => (await set(user, url)).body.detail
  assert.equal(await detail('http://shop.example/'), 'must start with https://')
  for (const url of [1, null, `https://shop.example/${'x'.repeat(2_048)}`]) {
    const { status, body } = await set(user, url)
    assert.deepEqual([status, body.message], [400, 'invalid url'])
  }
  const { status, body } = await as(user, `PUT ${WEBHOOK}`, { json: { url: URL, secret: 'mine' } })
  assert.deepEqual([status, body.message], [400, 'unknown field secret'])
  assert.equal((await as(user, `GET ${WEBHOOK}`)).status, 404)
})

test('rotation shows a new secret once; rotation, tests and resends require a webhook', async () => {
  const user = await api.merchant()
  for (const path of ['rotate-secret', 'test']) {
    const { status, body } = await as(user, `POST ${WEBHOOK}/${path}`)
    assert.deepEqual([status, body], [409, { code: 'webhook_not_set', message: 'webhook not set' }])
  }
  const { secret } = (await set(user)).body
  const rotated = await as(user, `POST ${WEBHOOK}/rotate-secret`)
  assert.equal(rotated.status, 200)
  assert.deepEqual(Object.keys(rotated.body), ['secret'])
  assert.match(rotated.body.secret, /^whsec_/)
  assert.notEqual(rotated.body.secret, secret)

  const { body } = await as(user, `POST ${WEBHOOK}/test`)
  await as(user, `DELETE ${WEBHOOK}`)
  assert.equal((await as(user, `POST ${WEBHOOK}/deliveries/${body.delivery_id}/resend`)).status, 409)
})

test('a test delivery is accepted, delivered, listed and can be resent', async t => {
  const merchant = await WebhookReceiver.start()
  merchant.script([
    { kind: 'status', status: 500, body: 'no' },
    { kind: 'status', status: 200 },
  ])
  const user = await api.merchant()
  const { store, clock } = api
  const webhook = await api.webhooks.set(user.account, URL)
  // The API accepts only https URLs, so the test writes the row directly.
  await store.write(tx => tx.webhooks.setUrl(user.account.id, merchant.url, webhook.webhook.createdAt))
  const worker = startDeliveryWorker({ ...api.infrastructure, ...api })
  t.after(async () => {
    await worker.stop()
    await merchant.close()
  })

  const sent = await as(user, `POST ${WEBHOOK}/test`)
  assert.equal(sent.status, 202)
  const { delivery_id: deliveryId } = sent.body
  assert.match(deliveryId, /^[0-9a-f-]{36}$/)
  const attempts = (count: number) =>
    until(`${count} finished attempts`, async () => {
      const { body } = await as(user, `GET ${WEBHOOK}/deliveries`)
      return body.length === count && body[0].duration_ms !== null && body
    })
  const [row] = await attempts(1)
  const { id, ...rest } = row
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(rest, {
    delivery_id: deliveryId,
    invoice_id: null,
    event_type: 'test',
    url: merchant.url,
    status_code: 500,
    error: 'answered 500',
    attempt: 1,
    duration_ms: rest.duration_ms,
    created_at: clock.secs,
  })
  assert.equal(typeof rest.duration_ms, 'number')

  const again = await as(user, `POST ${WEBHOOK}/deliveries/${deliveryId}/resend`)
  assert.equal(again.status, 202)
  assert.notEqual(again.body.delivery_id, deliveryId)
  const [latest, earlier] = await attempts(2)
  assert.deepEqual(
    [latest.delivery_id, latest.status_code, latest.error, latest.attempt],
    [again.body.delivery_id, 200, null, 1],
  )
  assert.equal(earlier.id, id)
  const page = (query: string) => as(user, `GET ${WEBHOOK}/deliveries?${query}`)
  assert.deepEqual((await page('limit=1')).body, [latest])
  assert.deepEqual((await page(`limit=1&before=${latest.id}`)).body, [earlier])
  assert.deepEqual((await page(`invoice_id=${randomUUID()}`)).body, [])
  assert.deepEqual((await page('invoice_id=none')).body, [])
  for (const [query, message] of [
    ['limit=0', 'invalid limit'],
    ['limit=201', 'invalid limit'],
    ['before=x', 'invalid before'],
  ] as const) {
    const { status, body } = await page(query)
    assert.deepEqual([status, body.message], [400, message])
  }

  const stranger = await api.merchant()
  await set(stranger)
  assert.equal((await as(stranger, `GET ${WEBHOOK}/deliveries?before=${latest.id}`)).body.code, 'invalid_before')
  for (const unknown of [deliveryId, 'x', randomUUID()]) {
    const { status, body } = await as(stranger, `POST ${WEBHOOK}/deliveries/${unknown}/resend`)
    assert.deepEqual([status, body], [404, { code: 'no_such_delivery', message: 'no such delivery' }])
  }
})
