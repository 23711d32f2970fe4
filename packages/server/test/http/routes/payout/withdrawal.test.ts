import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rateUnavailableError } from '../../../../src/domain/rate.ts'
import { startTestApi } from '../../../harness/api.ts'
import { call } from '../../../harness/http-call.ts'

const ORDER = { amount_zat: 150_000_000, fiat_currency: 'EUR', payout_to: 'DE89370400440532013000' }
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const api = await startTestApi()
after(() => api.close())

async function signedIn() {
  const { sessionToken: token } = await api.merchant()
  return (line: string, json?: unknown) => call(api, line, { token, ...(json !== undefined && { json }) })
}

test('a withdrawal has the documented fields with masked payout details, and can be read again', async () => {
  const request = await signedIn()
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
  const request = await signedIn()
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

test('without a current rate the response is 503 with Retry-After', async t => {
  const dark = await startTestApi({
    rates: { rate: () => Promise.reject(rateUnavailableError('down')), report: () => [] },
  })
  t.after(() => dark.close())
  const { sessionToken: token } = await dark.merchant()
  const { status, body, headers } = await call(dark, 'POST /v1/account/withdrawals', { token, json: ORDER })
  assert.deepEqual([status, body], [503, { code: 'rate_unavailable', message: 'rate unavailable' }])
  assert.equal(headers.get('retry-after'), '5')
})
