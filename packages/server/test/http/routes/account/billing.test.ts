import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const ORDER = { amount_zat: 150_000_000, fiat_currency: 'EUR', payout_to: 'DE89370400440532013000' }

const api = await startTestApi()
after(() => api.close())

async function signedIn() {
  const { sessionToken: token, apiKey } = await api.merchant({ plan: 'Free' })
  const request = (line: string, json?: unknown, headers: Record<string, string> = {}) =>
    call(api, line, { token, headers, ...(json === undefined ? {} : { json }) })
  return { apiKey, request }
}

test('plans are public and have the fields of the plans file', async () => {
  const { status, body, headers } = await call(api, 'GET /v1/plans')
  assert.equal(status, 200)
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.deepEqual(body, [
    { name: 'Free', monthly_invoice_limit: 50, price_zat: 0, period_days: 30 },
    { name: 'Pro', monthly_invoice_limit: 1000, price_zat: 10_000_000, period_days: 30 },
    { name: 'Business', monthly_invoice_limit: null, price_zat: 50_000_000, period_days: 30 },
  ])
})

test('billing returns the plan, its end and the monthly usage', async () => {
  const { request, apiKey } = await signedIn()
  await call(api, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: 1 } })
  const { status, body } = await request('GET /v1/account/billing')
  assert.equal(status, 200)
  const { resets_at } = body.invoices_this_month
  assert.deepEqual(body, { plan: 'Free', expires_at: null, invoices_this_month: { used: 1, limit: 50, resets_at } })
  assert.equal(new Date(resets_at * 1000).toISOString().slice(7), '-01T00:00:00.000Z')
})

test('subscribing returns an invoice like any other, which anyone can read', async () => {
  const { request } = await signedIn()
  const { status, body } = await request('POST /v1/account/billing/subscribe', { plan: 'Pro' })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['id', 'address', 'amount_zat', 'zip321_uri', 'status', 'expires_at'])
  assert.deepEqual([body.amount_zat, body.status], [10_000_000, 'pending'])
  assert.ok(body.zip321_uri.startsWith(`zcash:${body.address}?amount=0.1&memo=`))
  assert.equal((await call(api, `GET /v1/invoices/${body.id}`)).body.amount_zat, 10_000_000)
})

test('subscribing rejects unknown plans, missing fields and unknown fields with their own messages', async () => {
  const { request } = await signedIn()
  for (const [json, status, code, message] of [
    [{ plan: 'Gold' }, 400, 'unknown_plan', 'unknown plan'],
    [{ plan: 'Free' }, 400, 'unknown_plan', 'unknown plan'],
    [{}, 400, 'invalid_plan', 'invalid plan'],
    [{ plan: 5 }, 400, 'invalid_plan', 'invalid plan'],
    [{ plan: 'Pro', months: 2 }, 400, 'unknown_field', 'unknown field months'],
  ] as const) {
    const response = await request('POST /v1/account/billing/subscribe', json)
    assert.deepEqual([response.status, response.body.code, response.body.message], [status, code, message])
  }
})

test('an idempotency key makes one order and one purchase, and is one namespace with invoices', async () => {
  const { request, apiKey } = await signedIn()
  const headers = { 'idempotency-key': 'order 1' }
  const first = await request('POST /v1/account/withdrawals', ORDER, headers)
  assert.deepEqual((await request('POST /v1/account/withdrawals', ORDER, headers)).body, first.body)
  const reused = { code: 'idempotency_key_reused', message: 'idempotency key reused' }
  const other = await request('POST /v1/account/withdrawals', { ...ORDER, amount_zat: 1_000_000 }, headers)
  assert.deepEqual([other.status, other.body], [409, reused])
  const plan = await request('POST /v1/account/billing/subscribe', { plan: 'Pro' }, headers)
  assert.deepEqual([plan.status, plan.body], [409, reused])
  const sale = await call(api, 'POST /v1/invoices', { token: apiKey, headers, json: { amount_zat: 1 } })
  assert.deepEqual([sale.status, sale.body], [409, reused])
  const bad = await request('POST /v1/account/withdrawals', ORDER, { 'idempotency-key': 'x'.repeat(256) })
  assert.equal(bad.body.code, 'invalid_idempotency_key')
})

test('fifty orders and fifty purchases an hour are allowed; a repeated one is returned beyond the limit', async () => {
  const { request } = await signedIn()
  for (const [path, json] of [
    ['/v1/account/withdrawals', ORDER],
    ['/v1/account/billing/subscribe', { plan: 'Pro' }],
  ] as const) {
    const create = (key: string) => request(`POST ${path}`, json, { 'idempotency-key': path + key })
    const first = await create('0')
    for (let index = 1; index < 50; index++) assert.equal((await create(String(index))).status, 200)
    const { status, body, headers } = await create('50')
    assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 'too_many_orders', '3600'])
    assert.deepEqual((await create('0')).body, first.body)
    api.clock.advance(3_600)
    assert.equal((await create('50')).status, 200)
  }
})

test('without a billing viewing key, plans and withdrawals are unavailable and the rest works', async t => {
  const bare = await startTestApi({ billing: false })
  t.after(() => bare.close())
  const { sessionToken: token } = await bare.merchant()
  const refused = async (line: string, json: unknown) => {
    const { status, body } = await call(bare, line, { token, json })
    assert.deepEqual([status, body.code, body.message], [409, 'billing_not_configured', 'billing not configured'])
  }
  await refused('POST /v1/account/billing/subscribe', { plan: 'Pro' })
  await refused('POST /v1/account/withdrawals', ORDER)
  assert.equal((await call(bare, 'GET /v1/account/billing', { token })).body.plan, 'Business')
  assert.deepEqual((await call(bare, 'GET /v1/account/withdrawals', { token })).body, [])
  assert.equal((await call(bare, 'GET /v1/plans')).body.length, 3)
})
