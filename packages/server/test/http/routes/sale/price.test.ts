import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../../src/domain/error.ts'
import type { Rate } from '../../../../src/domain/rate.ts'
import { nowSecs } from '../../../../src/ports/clock.ts'
import { type Merchant, startTestApi, type TestApi } from '../../../harness/api.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { call } from '../../../harness/http-call.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

/** Rates of 1 ZEC in every currency, which a test moves or takes away, and how often they were asked for. */
function movingRates(clock: ManualClock) {
  const moving = {
    price: '40' as string | null,
    asked: [] as string[],
    report: () => [],
    async rate(currency: string): Promise<Rate> {
      moving.asked.push(currency)
      if (moving.price === null) throw new AppError('rate_unavailable')
      return { currency, price: moving.price, fetchedAt: nowSecs(clock) - 7, sources: ['gemini', 'kraken'] }
    },
  }
  return moving
}

const EUR_25 = { amount: '25.00', currency: 'eur' }

function requests(api: TestApi, { apiKey, sessionToken }: Merchant) {
  const create = (json: object, headers: Record<string, string> = {}) =>
    call(api, 'POST /v1/invoices', { token: apiKey, json, headers })
  const createRaw = (raw: string) =>
    call(api, 'POST /v1/invoices', { token: apiKey, raw, headers: { 'content-type': 'application/json' } })
  const read = (id: string) => call(api, `GET /v1/invoices/${id}`)
  const readAsMerchant = (id: string) => call(api, `GET /v1/invoices/${id}`, { token: sessionToken })
  const list = () => call(api, 'GET /v1/account/invoices', { token: sessionToken })
  return { create, createRaw, read, readAsMerchant, list }
}

onBothDatabases(engine => {
  async function harness(t: TestContext) {
    const database = await engine.createDatabase(t)
    const clock = new ManualClock()
    const rates = movingRates(clock)
    const api = await startTestApi({ databaseUrl: database.url, clock, rates })
    t.after(() => api.close())
    const merchant = await api.merchant()
    return { api, clock, rates, merchant, ...requests(api, merchant) }
  }

  test('25 EUR are converted once, at a rate that stays with the invoice while the market moves', async t => {
    const { rates, clock, create, read, readAsMerchant, list } = await harness(t)
    const { status, body } = await create({ price: EUR_25, order_id: '1001' })
    assert.equal(status, 200)
    assert.equal(body.amount_zat, 62_500_000)
    assert.deepEqual(body.price, EUR_25)
    const locked = { currency: 'EUR', price: '40', sources: ['gemini', 'kraken'], fetched_at: nowSecs(clock) - 7 }
    assert.deepEqual(body.rate, locked)
    assert.match(body.zip321_uri, /\?amount=0\.625&memo=/)
    rates.price = '32'
    for (const { body: later } of [await read(body.id), await readAsMerchant(body.id)])
      assert.deepEqual([later.amount_zat, later.price], [62_500_000, EUR_25])
    assert.equal((await read(body.id)).body.rate, undefined, 'a buyer sees the price alone')
    assert.deepEqual((await readAsMerchant(body.id)).body.rate, locked)
    assert.deepEqual((await list()).body[0].rate, locked)
    assert.equal((await create({ price: EUR_25 })).body.amount_zat, 78_125_000)
    assert.deepEqual(rates.asked, ['EUR', 'EUR'])
  })

  test('a repeat returns its invoice at the first rate, also when there is none any more', async t => {
    const { rates, create } = await harness(t)
    const key = { 'idempotency-key': 'order-1001' }
    const first = (await create({ price: EUR_25 }, key)).body
    rates.price = '10'
    assert.deepEqual((await create({ price: EUR_25 }, key)).body, first)
    rates.price = null
    assert.deepEqual((await create({ price: EUR_25 }, key)).body, first)
    assert.deepEqual(rates.asked, ['EUR'])
    const other = await create({ price: { ...EUR_25, amount: '25.01' } }, key)
    assert.deepEqual([other.status, other.body.code], [409, 'idempotency_key_reused'])
    const fresh = await create({ price: EUR_25 })
    assert.deepEqual([fresh.status, fresh.body.code], [503, 'rate_unavailable'])
    assert.ok(Number(fresh.headers.get('retry-after') ?? 1) > 0)
    assert.equal((await create({ amount_zat: 5 })).status, 200, 'an amount in zat needs no rate')
    assert.equal((await create({ price: { amount: '0.5', currency: 'ZEC' } })).body.amount_zat, 50_000_000)
  })

  test('of two equal requests at once, one is converted into the invoice of both', async t => {
    const { rates, create, list } = await harness(t)
    const key = { 'idempotency-key': 'order-1002' }
    const answers = await Promise.all(
      ['40', '50'].map(price => {
        rates.price = price
        return create({ price: EUR_25 }, key)
      }),
    )
    const [one, two] = answers.map(({ body }) => body)
    assert.deepEqual(two, one)
    assert.equal((await list()).body.length, 1)
  })

  test('a JSON number is taken as it is written, never through a float', async t => {
    const { rates, createRaw } = await harness(t)
    rates.price = '1'
    for (const [written, zat] of [
      ['0.10', 10_000_000],
      ['19.990', 1_999_000_000],
      ['1.00000001', 100_000_001],
      ['123456.123456789012', 12_345_612_345_679],
    ] as const) {
      const { body } = await createRaw(`{"price": { "currency":"USD", "amount" :${written} } , "description":"x"}`)
      assert.deepEqual([body.amount_zat, body.price], [zat, { amount: written, currency: 'USD' }])
    }
    for (const written of ['1e3', '-1', '0', '0.0', '1234567890123', '0.1234567890123'])
      assert.equal((await createRaw(`{"price":{"amount":${written},"currency":"USD"}}`)).body.code, 'invalid_price')
  })

  test('SATS are priced by the rate of BTC', async t => {
    const { rates, create } = await harness(t)
    rates.price = '0.0065'
    const { body } = await create({ price: { amount: '650000', currency: 'sats' } })
    assert.deepEqual([body.amount_zat, body.rate.currency], [100_000_000, 'BTC'])
    assert.deepEqual(rates.asked, ['BTC'])
  })

  test('an amount is given in exactly one way, and every refusal names the field', async t => {
    const { create } = await harness(t)
    for (const [json, code] of [
      [{}, 'invalid_amount_zat'],
      [{ open_amount: false }, 'invalid_amount_zat'],
      [{ amount_zat: 5, price: EUR_25 }, 'invalid_price'],
      [{ amount_zat: 5, open_amount: true }, 'invalid_open_amount'],
      [{ price: EUR_25, open_amount: true }, 'invalid_open_amount'],
      [{ amount_zat: 5, min_amount_zat: 5 }, 'invalid_min_amount_zat'],
      [{ open_amount: true, min_amount_zat: 0 }, 'invalid_min_amount_zat'],
      [{ open_amount: true, tolerance_bps: 1 }, 'invalid_tolerance_bps'],
      [{ amount_zat: 5, tolerance_bps: 10_001 }, 'invalid_tolerance_bps'],
      [{ amount_zat: 5, confirmations: 101 }, 'invalid_confirmations'],
      [{ price: 25 }, 'invalid_price'],
      [{ price: { amount: '25' } }, 'invalid_price'],
      [{ price: { ...EUR_25, rate: 1 } }, 'invalid_price'],
      [{ price: { amount: '25', currency: 'EURO' } }, 'invalid_price'],
      [{ price: { amount: '25', currency: 'DOGE' } }, 'invalid_price'],
      [{ price: { amount: '2,50', currency: 'EUR' } }, 'invalid_price'],
      [{ price: { amount: '999999999999', currency: 'EUR' } }, 'invalid_price'],
    ] as const) {
      const { status, body } = await create(json)
      assert.deepEqual([status, body.code], [400, code], JSON.stringify(json))
      assert.match(body.detail, /\S/, JSON.stringify(json))
    }
  })
})
