import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { WebhookReceiver } from '@zatgate/sandbox/webhook-receiver'
import { createVault } from '../../../src/adapters/crypto/vault.ts'
import { createOutbound } from '../../../src/adapters/http-client/client.ts'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import { MOST_WAITING } from '../../../src/domain/webhook.ts'
import { createDeliveries } from '../../../src/services/delivery.ts'
import { startDelivery } from '../../../src/workers/delivery.ts'
import { type Call, call, type Merchant, startTestApi, type TestApi, VAULT_KEY } from '../../support/api.ts'
import { silentMeter } from '../../support/delivery-meter.ts'
import { silentLog } from '../../support/log.ts'
import { until } from '../../support/until.ts'

const URL = 'https://shop.example/webhook'
const WEBHOOK = '/v1/account/webhook'

let api: TestApi

before(async () => {
  api = await startTestApi()
})
after(() => api.close())

const as = (who: Merchant, line: string, options: Call = {}) => call(api, line, { token: who.sessionToken, ...options })
const set = (who: Merchant, url: unknown = URL) => as(who, `PUT ${WEBHOOK}`, { json: { url } })

test('the first PUT shows the secret, once; the URL is read, changed and removed', async () => {
  const who = await api.merchant()
  const now = api.clock.secs
  const notSet = { code: 'webhook_not_set', message: 'webhook not set' }
  const missing = await as(who, `GET ${WEBHOOK}`)
  assert.deepEqual([missing.status, missing.body], [404, notSet])

  const first = await set(who)
  const { secret, ...webhook } = first.body
  assert.equal(first.status, 200)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(webhook, { url: URL, created_at: now, updated_at: now })
  assert.deepEqual((await as(who, `GET ${WEBHOOK}`)).body, webhook)

  const second = await set(who, `${URL}/2`)
  assert.deepEqual(second.body, { ...webhook, url: `${URL}/2` })

  assert.equal((await as(who, `DELETE ${WEBHOOK}`)).status, 204)
  assert.equal((await as(who, `DELETE ${WEBHOOK}`)).status, 404)
  assert.equal((await as(who, `GET ${WEBHOOK}`)).status, 404)
  const anew = await set(who)
  assert.match(anew.body.secret, /^whsec_/)
  assert.notEqual(anew.body.secret, secret)
})

test('tests and resends are refused while very many deliveries wait, each account counted by itself', async () => {
  const [who, other] = [await api.merchant(), await api.merchant()]
  for (const one of [who, other]) await set(one)
  const send = (one: Merchant) => as(one, `POST ${WEBHOOK}/test`)
  const { body } = await send(who)
  const wait = {
    accountId: who.account.id,
    invoiceId: null,
    eventType: 'test',
    body: '{}',
    createdAt: 0,
    dueAtMs: 0,
  } as const
  const many = Array.from({ length: MOST_WAITING - 2 }, () => ({ ...wait, publicId: randomUUID() }))
  await api.store.write(rows => rows.deliveries.insert(many))

  assert.equal((await send(who)).status, 202)
  const refused = await send(who)
  assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_deliveries'])
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal((await as(who, `POST ${WEBHOOK}/deliveries/${body.delivery_id}/resend`)).status, 429)
  assert.equal((await send(other)).status, 202)
})

test('a URL that may not be called is refused, and said why', async () => {
  const who = await api.merchant()
  for (const url of [
    '',
    'shop.example',
    'http://shop.example/',
    `${URL}#top`,
    'https://a:b@shop.example/',
    ` ${URL}`,
  ]) {
    const { status, body } = await set(who, url)
    assert.deepEqual([status, body.code, body.message], [400, 'invalid_url', 'invalid url'], url)
    assert.ok(body.detail.length > 0)
  }
  const detail = async (url: string) => (await set(who, url)).body.detail
  assert.equal(await detail('http://shop.example/'), 'must start with https://')
  for (const url of [1, null, `https://shop.example/${'x'.repeat(2_048)}`]) {
    const { status, body } = await set(who, url)
    assert.deepEqual([status, body.message], [400, 'invalid url'])
  }
  const { status, body } = await as(who, `PUT ${WEBHOOK}`, { json: { url: URL, secret: 'mine' } })
  assert.deepEqual([status, body.message], [400, 'unknown field secret'])
  assert.equal((await as(who, `GET ${WEBHOOK}`)).status, 404)
})

test('rotation shows a new secret once; without a webhook there is nothing to rotate, test or send again', async () => {
  const who = await api.merchant()
  for (const path of ['rotate-secret', 'test']) {
    const { status, body } = await as(who, `POST ${WEBHOOK}/${path}`)
    assert.deepEqual([status, body], [409, { code: 'webhook_not_set', message: 'webhook not set' }])
  }
  const { secret } = (await set(who)).body
  const rotated = await as(who, `POST ${WEBHOOK}/rotate-secret`)
  assert.equal(rotated.status, 200)
  assert.deepEqual(Object.keys(rotated.body), ['secret'])
  assert.match(rotated.body.secret, /^whsec_/)
  assert.notEqual(rotated.body.secret, secret)

  const { body } = await as(who, `POST ${WEBHOOK}/test`)
  await as(who, `DELETE ${WEBHOOK}`)
  assert.equal((await as(who, `POST ${WEBHOOK}/deliveries/${body.delivery_id}/resend`)).status, 409)
})

test('a test delivery is accepted, arrives, is listed, and can be sent again', async t => {
  const merchant = await WebhookReceiver.start()
  merchant.script([
    { kind: 'status', status: 500, body: 'no' },
    { kind: 'status', status: 200 },
  ])
  const who = await api.merchant()
  const { store, clock } = api
  const webhook = await api.webhooks.set(who.account, URL)
  // The API of the test takes https only, so the row is set past it.
  await store.write(rows => rows.webhooks.setUrl(who.account.id, merchant.url, webhook.webhook.createdAt))
  const outbound = createOutbound({ allowPrivate: true })
  const vault = createVault([VAULT_KEY], systemRandom)
  const deliveries = createDeliveries({ store, vault, outbound, clock, random: systemRandom, log: silentLog })
  const worker = startDelivery({ deliveries, store, clock, log: silentLog, meter: silentMeter })
  t.after(async () => {
    await worker.stop()
    outbound.close()
    await merchant.close()
  })

  const sent = await as(who, `POST ${WEBHOOK}/test`)
  assert.equal(sent.status, 202)
  const { delivery_id: deliveryId } = sent.body
  assert.match(deliveryId, /^[0-9a-f-]{36}$/)
  const rows = (count: number) =>
    until(`${count} ended attempts`, async () => {
      const { body } = await as(who, `GET ${WEBHOOK}/deliveries`)
      return body.length === count && body[0].duration_ms !== null && body
    })
  const [row] = await rows(1)
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

  const again = await as(who, `POST ${WEBHOOK}/deliveries/${deliveryId}/resend`)
  assert.equal(again.status, 202)
  assert.notEqual(again.body.delivery_id, deliveryId)
  const [latest, earlier] = await rows(2)
  assert.deepEqual(
    [latest.delivery_id, latest.status_code, latest.error, latest.attempt],
    [again.body.delivery_id, 200, null, 1],
  )
  assert.equal(earlier.id, id)
  const page = (query: string) => as(who, `GET ${WEBHOOK}/deliveries?${query}`)
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
  assert.deepEqual((await as(stranger, `GET ${WEBHOOK}/deliveries?before=${latest.id}`)).body, [])
  for (const unknown of [deliveryId, 'x', randomUUID()]) {
    const { status, body } = await as(stranger, `POST ${WEBHOOK}/deliveries/${unknown}/resend`)
    assert.deepEqual([status, body], [404, { code: 'no_such_delivery', message: 'no such delivery' }])
  }
})

test('every webhook endpoint asks for a session, and takes no API key', async () => {
  const who = await api.merchant()
  for (const line of [
    `GET ${WEBHOOK}`,
    `PUT ${WEBHOOK}`,
    `DELETE ${WEBHOOK}`,
    `POST ${WEBHOOK}/rotate-secret`,
    `POST ${WEBHOOK}/test`,
    `GET ${WEBHOOK}/deliveries`,
    `POST ${WEBHOOK}/deliveries/${randomUUID()}/resend`,
  ]) {
    const missing = await call(api, line)
    assert.deepEqual([missing.status, missing.body.message], [401, 'missing session token'], line)
    const wrong = await call(api, line, { token: who.apiKey })
    assert.deepEqual([wrong.status, wrong.body.message], [401, 'bad session token'], line)
  }
})
