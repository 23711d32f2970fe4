import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rateUnavailableError } from '../../../src/domain/rate.ts'
import { startTestApi, type TestApi } from '../../harness/api.ts'
import { call } from '../../harness/http-call.ts'

const ORDER = { amount_zat: 150_000_000, fiat_currency: 'EUR', payout_to: 'DE89370400440532013000' }
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

let api: TestApi

before(async () => {
  api = await startTestApi()
})
after(() => api.close())

async function signedIn() {
  const { account, sessionToken: token, apiKey } = await api.merchant({ plan: 'Free' })
  const request = (line: string, json?: unknown, headers: Record<string, string> = {}) =>
    call(api, line, { token, headers, ...(json === undefined ? {} : { json }) })
  return { account, apiKey, request }
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

test('a withdrawal has the documented fields with masked payout details, and can be read again', async () => {
  const { request } = await signedIn()
  const { status, body } = await request('POST /v1/account/withdrawals', ORDER)
  assert.equal(status, 200)
  const { id, deposit_address, zip321_uri } = body
  assert.deepEqual(body, {
    id,
    status: 'awaiting_deposit',
    amount_zat: 150_000_000,
    fiat_currency: 'EUR',
    fiat_amount: '148.50',
    rate: '100',
    payout_to: 'DE••••3000',
    deposit_address,
    zip321_uri,
    expires_at: api.clock.secs + 900,
    received_zat: 0,
    txid: null,
    reference: null,
    reason: null,
    created_at: api.clock.secs,
    updated_at: api.clock.secs,
  })
  const memo = Buffer.from(id).toString('base64url')
  assert.equal(zip321_uri, `zcash:${deposit_address}?amount=1.5&memo=${memo}`)
  assert.deepEqual((await request(`GET /v1/account/withdrawals/${id}`)).body, body)
  assert.deepEqual((await request(`GET /v1/account/withdrawals/${id.toUpperCase()}`)).body, body)
  assert.deepEqual((await request('GET /v1/account/withdrawals')).body, [body])
  const canceled = await request(`POST /v1/account/withdrawals/${id}/cancel`)
  assert.deepEqual([canceled.status, canceled.body.status], [200, 'canceled'])
  const repeated = await request(`POST /v1/account/withdrawals/${id}/cancel`)
  assert.deepEqual([repeated.status, repeated.body.code], [409, 'withdrawal_not_cancelable'])
  for (const line of [`GET /v1/account/withdrawals/${UNKNOWN}`, 'POST /v1/account/withdrawals/nonsense/cancel'])
    assert.deepEqual((await request(line)).body, { code: 'no_such_withdrawal', message: 'no such withdrawal' })
})

test('an invalid order is refused with the name of the invalid field, at both limits', async () => {
  const { request } = await signedIn()
  for (const [field, values] of [
    ['amount_zat', [0, -1, 1.5, 2_100_000_000_000_001, '1', null, undefined, 1]],
    ['fiat_currency', ['eur', 'EURO', 'XXX', 'CHF', 5, null, undefined]],
    ['payout_to', ['', '  ', 'a\u0000b', 'x'.repeat(513), 5, null, undefined]],
  ] as const)
    for (const value of values) {
      const { status, body } = await request('POST /v1/account/withdrawals', { ...ORDER, [field]: value })
      assert.deepEqual([status, body.message], [400, `invalid ${field}`], `${field}: ${value}`)
    }
  const withUnknownField = await request('POST /v1/account/withdrawals', { ...ORDER, memo: 'x' })
  assert.equal(withUnknownField.body.message, 'unknown field memo')
  const largest = await request('POST /v1/account/withdrawals', { ...ORDER, amount_zat: 2_100_000_000_000_000 })
  assert.equal(largest.body.fiat_amount, '2079000000.00')
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

test('each of these endpoints requires a session and refuses an API key', async () => {
  const { apiKey } = await signedIn()
  for (const line of [
    'GET /v1/account/billing',
    'POST /v1/account/billing/subscribe',
    'GET /v1/account/withdrawals',
    'POST /v1/account/withdrawals',
    `GET /v1/account/withdrawals/${UNKNOWN}`,
    `POST /v1/account/withdrawals/${UNKNOWN}/cancel`,
  ]) {
    assert.equal((await call(api, line)).body.message, 'missing session token', line)
    assert.equal((await call(api, line, { token: apiKey })).body.message, 'bad session token', line)
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

test('without a current rate the response is 503 with Retry-After', async t => {
  const dark = await startTestApi({ rates: { rate: () => Promise.reject(rateUnavailableError('down')) } })
  t.after(() => dark.close())
  const { sessionToken: token } = await dark.merchant()
  const { status, body, headers } = await call(dark, 'POST /v1/account/withdrawals', { token, json: ORDER })
  assert.deepEqual([status, body], [503, { code: 'rate_unavailable', message: 'rate unavailable' }])
  assert.equal(headers.get('retry-after'), '5')
})
