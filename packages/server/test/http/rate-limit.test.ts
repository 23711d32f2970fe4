import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { createApp } from '../../src/http/create-app.ts'
import { addRateLimits } from '../../src/http/rate-limit.ts'
import { startTestApi, type TestApi } from '../harness/api.ts'
import { call, type TestResponse } from '../harness/http-call.ts'
import { ManualClock } from '../harness/manual-clock.ts'
import { startTestService } from '../harness/service.ts'

/** The API with the default limits, behind a proxy that names the client. */
async function startLimited(test: { after(work: () => Promise<void>): void }): Promise<TestApi> {
  const api = await startTestApi({ settings: { rateLimit: 60_000, trustProxy: 1 } })
  test.after(() => api.close())
  return api
}

const from = (address: string) => ({ 'x-forwarded-for': address })

/** Sends a request until it gets another response than the first one. @returns how often it was sent, and that response */
async function sendUntilRejected(send: (attempt: number) => Promise<TestResponse>): Promise<[number, TestResponse]> {
  const first = await send(0)
  for (let sent = 1; sent < 1_000; sent++) {
    const response = await send(sent)
    if (response.status !== first.status) return [sent, response]
  }
  throw new Error('never rejected')
}

test('a client that has used up one class gets 429 with Retry-After there, and is served elsewhere', async t => {
  const api = await startLimited(t)
  const put = () => call(api, 'PUT /v1/account/viewing-key', { json: {}, headers: from('192.0.2.1') })
  const [served, rejected] = await sendUntilRejected(put)
  assert.equal(served, 10)
  assert.deepEqual(
    [rejected.status, rejected.body.code, rejected.headers.get('retry-after')],
    [429, 'too_many_requests', '2'],
  )
  assert.equal((await call(api, 'GET /v1/account', { headers: from('192.0.2.1') })).status, 401)
  assert.equal((await call(api, 'PUT /v1/account/viewing-key', { json: {}, headers: from('192.0.2.2') })).status, 401)
  api.clock.advance(2)
  assert.equal((await put()).status, 401)
})

test('the limit of an account holds for all its clients and tokens, and for no other account', async t => {
  const api = await startLimited(t)
  const one = await api.merchant()
  const other = await api.merchant()
  const { token } = await api.sessions.create(one.account, 'second')
  const list = (sessionToken: string, address: number) =>
    call(api, 'GET /v1/account/webhook/deliveries', { token: sessionToken, headers: from(`192.0.2.${address}`) })
  const [served, rejected] = await sendUntilRejected(i => list(i % 2 ? token : one.sessionToken, 1 + (i % 5)))
  assert.deepEqual([served, rejected.status, rejected.headers.get('retry-after')], [60, 429, '1'])
  assert.equal((await list(other.sessionToken, 1)).status, 200)
  assert.equal((await call(api, 'GET /v1/account', { token, headers: from('192.0.2.1') })).status, 200)
})

test('one session can use half of its account’s limit: a stolen one leaves the other half to the owner', async t => {
  const service = await startTestService({ clock: systemClock, env: { RATE_LIMIT: '60000', TRUST_PROXY: '1' } })
  t.after(() => service.close())
  const { accounts, sessions } = service.service
  const account = await accounts.findOrCreate('shop@example.org')
  const [stolen, own] = [await sessions.create(account, 'stolen'), await sessions.create(account, 'own')]
  const page = (token: string, address: number) =>
    call(service, 'GET /sessions', {
      headers: { ...from(`192.0.2.${address}`), cookie: `__Host-zatgate=${token}` },
    })
  const [served, rejected] = await sendUntilRejected(i => page(stolen.token, 1 + (i % 100)))
  assert.ok(served >= 50 && served < 70, String(served))
  assert.equal(rejected.status, 429)
  for (let i = 0; i < 30; i++) {
    assert.equal((await page(own.token, 201)).status, 200)
    await page(stolen.token, i)
  }
})

test('the addresses of one IPv6 /64 are one client', async t => {
  const api = await startLimited(t)
  const put = (address: string) => call(api, 'PUT /v1/account/viewing-key', { json: {}, headers: from(address) })
  const [served] = await sendUntilRejected(i => put(`2001:db8:0:1::${i}`))
  assert.equal(served, 10)
  assert.equal((await put('2001:db8:0:2::1')).status, 401)
})

test('an API key may create 500 invoices at once', async t => {
  const api = await startLimited(t)
  const { apiKey: token } = await api.merchant()
  const create = () => call(api, 'POST /v1/invoices', { token, json: { amount_zat: 1 } })
  for (let batch = 0; batch < 10; batch++)
    for (const { status } of await Promise.all(Array.from({ length: 50 }, create))) assert.equal(status, 200)
})

test('with RATE_LIMIT=0 nothing is limited, neither by client nor by account', async t => {
  const api = await startTestApi()
  t.after(() => api.close())
  const { sessionToken: token } = await api.merchant()
  for (let i = 0; i < 100; i++) assert.equal((await call(api, 'GET /v1/account/invoices', { token })).status, 200)
})

test('a client that opens page after page gets 429 as a page, and can still read the invoice', async t => {
  const service = await startTestService({ clock: systemClock, env: { RATE_LIMIT: '60000' } })
  t.after(() => service.close())
  const { apiKey: token } = service
  const { id } = (await call(service, 'POST /v1/invoices', { token, json: { amount_zat: 1 } })).body
  const [, rejected] = await sendUntilRejected(() => call(service, `GET /i/${id}`))
  assert.equal(rejected.status, 429)
  assert.match(rejected.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal((await call(service, `GET /v1/invoices/${id}`)).status, 200)
})

test('a route that declares no class is refused, also without limits', () => {
  for (const perMinute of [0, 60]) {
    const app = createApp(false)
    addRateLimits(app, perMinute, new ManualClock())
    assert.throws(() => app.get('/new', () => 'ok'), /\/new declares no rate class/)
    app.get('/other', { config: { rate: 'read' } }, () => 'ok')
  }
})
