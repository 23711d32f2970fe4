import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from '../../harness/api.ts'
import { conforms } from '../../harness/greenfield.ts'
import { greenfieldClient, pluginKey } from '../../harness/greenfield-client.ts'
import { call } from '../../harness/http-call.ts'

const api = await startTestApi()
const merchant = await api.merchant()
const ask = await greenfieldClient(api, merchant)
after(() => api.close())

const HOOK = {
  enabled: true,
  automaticRedelivery: true,
  url: 'https://shop.example/wc-api/btcpaygf_default/',
  authorizedEvents: { everything: false, specificEvents: ['InvoiceSettled', 'InvoiceExpired', 'InvoiceOfTomorrow'] },
}

test('a webhook is created with our secret, read, changed and removed', async () => {
  const { status, body } = await ask('POST webhooks', { json: HOOK })
  conforms('WebhookDataCreateResult', body)
  assert.equal(status, 200)
  assert.match(body.secret, /^whsec_/)
  const { secret, ...shown } = body
  assert.deepEqual(shown.authorizedEvents.specificEvents, ['InvoiceSettled', 'InvoiceExpired'])
  assert.deepEqual((await ask(`GET /api/v1/webhooks/${body.id}`)).body, shown)
  assert.deepEqual((await ask('GET webhooks')).body, [shown])
  const changed = await ask(`PUT webhooks/${body.id}`, {
    json: { ...HOOK, enabled: false, automaticRedelivery: false, url: 'https://shop.example/3', secret: null },
  })
  assert.deepEqual(
    [changed.body.enabled, changed.body.automaticRedelivery, changed.body.url, changed.body.secret],
    [false, false, 'https://shop.example/3', undefined],
  )
  assert.equal((await ask(`DELETE webhooks/${body.id}`, { raw: '{}' })).text, '')
  const gone = await ask(`GET webhooks/${body.id}`)
  assert.deepEqual([gone.status, gone.body.code], [404, 'webhook-not-found'])
})

test('the secret of the client comes back once, and a URL alone is enough', async () => {
  const secret = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'
  const { body } = await ask('POST webhooks', { json: { ...HOOK, url: 'https://shop.example/own', secret } })
  assert.equal(body.secret, secret)
  const spaced = 'a secret of the shop 0123456789'
  const { body: own } = await ask('POST webhooks', { json: { url: 'https://shop.example/spaced', secret: spaced } })
  assert.equal(own.secret, spaced, 'plugins choose secrets of any form')
  const { body: simple } = await ask('POST webhooks', { json: { url: 'https://shop.example/simple' } })
  assert.deepEqual(simple.authorizedEvents, { everything: true, specificEvents: [] })
  assert.deepEqual([simple.enabled, simple.automaticRedelivery], [true, true])
  const { body: listed } = await ask('GET webhooks')
  conforms('WebhookDataList', listed)
  assert.ok(listed.every((hook: object) => !('secret' in hook)))
})

test('what is wrong is named', async () => {
  const pathOf = async (json: object) => {
    const { status, body } = await ask('POST webhooks', { json })
    return [status, body[0].path]
  }
  assert.deepEqual(await pathOf({}), [422, 'url'])
  assert.deepEqual(await pathOf({ url: `https://shop.example/${String.fromCharCode(0)}` }), [422, 'url'])
  assert.deepEqual(await pathOf({ url: 'http://10.0.0.1/' }), [422, 'url'])
  assert.deepEqual(await pathOf({ ...HOOK, secret: 'short' }), [422, 'secret'])
  const authorizedEvents = { everything: false, specificEvents: ['Nothing'] }
  assert.deepEqual(await pathOf({ ...HOOK, authorizedEvents }), [422, 'authorizedEvents.specificEvents'])
})

test('a change with a secret that is refused changes nothing', async () => {
  const { body: hook } = await ask('POST webhooks', { json: { url: 'https://shop.example/kept' } })
  const json = { ...HOOK, url: 'https://shop.example/other' }
  const refused = await ask(`PUT webhooks/${hook.id}`, { json: { ...json, secret: 'short' } })
  assert.deepEqual([refused.status, refused.body[0].path], [422, 'secret'])
  assert.equal((await ask(`GET webhooks/${hook.id}`)).body.url, 'https://shop.example/kept')
  const { status } = await ask(`PUT webhooks/${hook.id}`, { json: { ...json, secret: 'a longer secret' } })
  assert.equal(status, 200)
  assert.equal((await ask(`GET webhooks/${hook.id}`)).body.url, 'https://shop.example/other')
})

test('the schedule and the types of a plugin’s webhook are not changed in our own API', async () => {
  const { body: hook } = await ask('POST webhooks', { json: { url: 'https://shop.example/schedule' } })
  for (const [json, code] of [
    [{ schedule: 'standard' }, 'invalid_schedule'],
    [{ types: ['invoice_paid'] }, 'invalid_types'],
  ] as const) {
    const token = merchant.sessionToken
    const { status, body } = await call(api, `PATCH /v1/account/endpoints/${hook.id}`, { token, json })
    assert.deepEqual([status, body.code], [400, code])
  }
  assert.deepEqual((await ask(`GET webhooks/${hook.id}`)).body.automaticRedelivery, true)
})

test('a plugin that is set up again replaces its webhook', async () => {
  const token = await pluginKey(api, merchant)
  const url = 'https://shop.example/again'
  const { body: first } = await ask('POST webhooks', { token, json: { ...HOOK, url } })
  const { body: second } = await ask('POST webhooks', { json: { ...HOOK, url } })
  const ids = (await ask('GET webhooks')).body.map(({ id }: { id: string }) => id)
  assert.deepEqual([ids.includes(first.id), ids.includes(second.id)], [false, true])
})

test('endpoints in our own format are not seen, and those of plugins are marked in our own API', async () => {
  const token = merchant.sessionToken
  const own = await call(api, 'POST /v1/account/endpoints', { token, json: { url: 'https://books.example/' } })
  assert.equal((await ask(`GET webhooks/${own.body.id}`)).status, 404)
  assert.equal((await ask(`DELETE webhooks/${own.body.id}`)).status, 404)
  const { body: all } = await call(api, 'GET /v1/account/endpoints', { token })
  const formats = new Map(all.map(({ id, format }: { id: string; format?: string }) => [id, format]))
  assert.equal(formats.get(own.body.id), undefined)
  const [{ id }] = (await ask('GET webhooks')).body
  assert.equal(formats.get(id), 'btcpay')
})

test('deliveries are listed, read and sent again', async () => {
  const other = await api.merchant()
  const client = await greenfieldClient(api, other)
  const { body: hook } = await client('POST webhooks', { json: HOOK })
  assert.deepEqual((await client(`GET webhooks/${hook.id}/deliveries?count=10`)).body, [])
  await api.endpoints.test(other.account, hook.id)
  const { body: deliveries } = await client(`GET webhooks/${hook.id}/deliveries`)
  conforms('WebhookDeliveryList', deliveries)
  const [{ id, status, httpCode }] = deliveries
  assert.deepEqual([status, httpCode], ['Pending', null])
  assert.equal((await client(`GET /api/v1/webhooks/${hook.id}/deliveries/${id}`)).body.id, id)
  const { body: again } = await client(`POST webhooks/${hook.id}/deliveries/${id}/redeliver`)
  assert.notEqual(again, id)
  assert.equal((await client(`GET webhooks/${hook.id}/deliveries/${again}`)).body.id, again)
  assert.equal((await client(`GET webhooks/${hook.id}/deliveries/${hook.id}`)).body.code, 'webhookdelivery-not-found')
  assert.equal((await client(`GET webhooks/${hook.id}/deliveries?count=0`)).body[0].path, 'count')
})
