import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { describePostgres } from '../harness/databases.ts'
import { call } from '../harness/http-call.ts'
import { startTestService, type TestService } from '../harness/service.ts'
import { fastClock, type SkewedClock } from '../harness/skewed-clock.ts'
import { until } from '../harness/until.ts'

const EUR_25 = { amount: '25', currency: 'EUR' }
const SOURCES = ['kraken', 'coinbase', 'gemini', 'coingecko'] as const
/** Longer than a rate is used without asking the sources again. */
const RATE_AGE_SECS = 61

describe('a sale in money on SQLite', () => declareTests(async () => undefined))
describePostgres('a sale in money on PostgreSQL', server => declareTests(() => server().migratedDatabase()))

function declareTests(createDatabase: () => Promise<string | undefined>): void {
  let started: Awaited<ReturnType<typeof startOn>>
  before(async () => {
    started = await startOn(await createDatabase())
  })
  after(() => started?.at.close())

  test('a price is what the honest sources say: one lies, two are down; with all down there is none', async () => {
    const { at, clock, create } = started
    const { faultsOf, faults } = at.sandbox.rates
    const honest = (await create({ price: EUR_25 })).body.amount_zat
    const again = async () => {
      clock.advance(RATE_AGE_SECS)
      return create({ price: EUR_25 })
    }
    for (const liar of SOURCES) {
      faultsOf[liar].response = 'thousandfold'
      assert.equal((await again()).body.amount_zat, honest, `${liar} lies`)
      faultsOf[liar].response = 'ticker'
    }
    faultsOf.kraken.down = true
    faultsOf.coinbase.down = true
    const { status, body } = await again()
    assert.deepEqual([status, body.amount_zat], [200, honest])
    for (const name of SOURCES) assert.ok(!body.rate.sources.includes(name) || !faultsOf[name].down)
    faults.down = true
    const none = await again()
    faults.down = false
    faultsOf.kraken.down = false
    faultsOf.coinbase.down = false
    clock.advance(RATE_AGE_SECS)
    assert.deepEqual([none.status, none.body.code], [503, 'rate_unavailable'])
    assert.equal((await create({ amount_zat: 5 })).status, 200)
  })

  test('25 EUR keep their amount while the market moves by a fifth; a part in time and the rest late pay them', async () => {
    const { at, clock, sell, read, readAsMerchant, expire, paid } = started
    const sold = await sell({ price: EUR_25, order_id: '1001' })
    for (const pair of ['ZECUSD', 'ZECEUR']) at.sandbox.rates.setPrice(pair, pair === 'ZECUSD' ? '48' : '44')
    clock.advance(RATE_AGE_SECS)
    const dearer = await sell({ price: EUR_25 })
    assert.notEqual(dearer.amount_zat, sold.amount_zat)
    assert.deepEqual((await readAsMerchant(sold.id)).rate, sold.rate)

    const part = BigInt(sold.amount_zat) / 2n
    at.sandbox.wallet.pay({ uri: sold.zip321_uri, amount: part })
    await until('the part to be seen', async () => (await read(sold.id)).received_zat === Number(part))
    const open = await read(sold.id, '?include=missing')
    assert.equal(open.missing_zat, sold.amount_zat - Number(part))
    await expire(sold.id, 'underpaid')
    const late = await read(sold.id, '?include=missing')
    assert.equal(late.missing_zat, open.missing_zat, 'the rest is priced as first locked')
    at.sandbox.wallet.pay({ uri: late.missing_uri })
    await paid(sold.id)
    const done = await read(sold.id, '?include=missing')
    assert.deepEqual(
      [done.received_zat, done.overpaid_zat, done.missing_zat, done.price],
      [sold.amount_zat, 0, undefined, EUR_25],
    )
  })

  test('what may be missing makes no difference to paid, and shows in the amounts', async () => {
    const { at, sell, read, paid } = started
    const { id, zip321_uri } = await sell({ amount_zat: 1_000_000, tolerance_bps: 100 })
    at.sandbox.wallet.pay({ uri: zip321_uri, amount: 989_999n })
    await until('the part to be seen', async () => (await read(id)).received_zat > 0)
    assert.deepEqual([(await read(id)).status, (await read(id, '?include=missing')).missing_zat], ['pending', 10_001])
    at.sandbox.wallet.pay({ uri: zip321_uri, amount: 1n })
    await paid(id)
    const { received_zat, overpaid_zat } = await read(id)
    assert.deepEqual([received_zat, overpaid_zat], [990_000, 0])
  })

  test('an open amount is what arrives, from its minimum on', async () => {
    const { at, sell, read, paid } = started
    const { id, zip321_uri, amount_zat } = await sell({ open_amount: true, min_amount_zat: 1_000 })
    assert.equal(amount_zat, 0)
    at.sandbox.wallet.pay({ uri: zip321_uri, amount: 999n })
    await until('the first payment to be seen', async () => (await read(id)).received_zat === 999)
    assert.equal((await read(id)).status, 'pending')
    at.sandbox.wallet.pay({ uri: zip321_uri, amount: 5_000n })
    await paid(id)
    const body = await read(id)
    assert.deepEqual([body.amount_zat, body.received_zat, body.overpaid_zat], [5_999, 5_999, 0])
  })

  test('the confirmations of an invoice are its own', async () => {
    const { at, sell, read } = started
    const { id, zip321_uri } = await sell({ amount_zat: 5, confirmations: 1 })
    at.sandbox.wallet.pay({ uri: zip321_uri })
    await until('the payment to be seen', async () => (await read(id)).status === 'detected')
    at.sandbox.chain.mine(1)
    await until('one block to pay it', async () => (await read(id)).status === 'paid')
  })

  for (const first of ['the payment', 'the cancellation'] as const)
    test(`of a payment and a cancellation in the same second, ${first} comes first, and no money is lost`, async () => {
      const { at, sell, read, cancel, paid } = started
      const { id, zip321_uri } = await sell({ amount_zat: 5 })
      if (first === 'the payment') {
        at.sandbox.wallet.pay({ uri: zip321_uri })
        await until('the payment to be seen', async () => (await read(id)).received_zat > 0)
        const { status, body } = await cancel(id)
        assert.deepEqual([status, body.code], [409, 'invoice_not_cancelable'])
      } else {
        const canceling = cancel(id)
        at.sandbox.wallet.pay({ uri: zip321_uri })
        const { status } = await canceling
        assert.ok(status === 200 || status === 409, 'the payment may have been seen before')
      }
      await paid(id)
    })
}

/** A service for all tests, each of which sells its own invoices. */
async function startOn(databaseUrl: string | undefined) {
  const clock = fastClock()
  const at = await startTestService({ clock, ...(databaseUrl && { databaseUrl }) })
  return { at, clock, ...tools(at, clock) }
}

function tools(at: TestService, clock: SkewedClock) {
  const create = (json: object) => call(at, 'POST /v1/invoices', { token: at.apiKey, json })
  const sell = async (json: object) => {
    const { status, text, body } = await create(json)
    assert.equal(status, 200, text)
    return body
  }
  const read = async (id: string, query = '') => (await call(at, `GET /v1/invoices/${id}${query}`)).body
  const readAsMerchant = async (id: string) =>
    (await call(at, `GET /v1/invoices/${id}`, { token: at.sessionToken })).body
  const cancel = (id: string) => call(at, `POST /v1/invoices/${id}/cancel`, { token: at.sessionToken })
  const hasStatus = (id: string, status: string) => until(`${status}`, async () => (await read(id)).status === status)

  async function expire(id: string, status: string): Promise<void> {
    clock.advance(901)
    await hasStatus(id, status)
  }

  /** Mines until the payments are confirmed. */
  async function paid(id: string): Promise<void> {
    const { received_zat: before } = await read(id)
    await until('the payment to be seen', async () => {
      const { status, received_zat } = await read(id)
      return status === 'detected' || (received_zat > 0 && received_zat >= before)
    })
    at.sandbox.chain.mine(3)
    await hasStatus(id, 'paid')
  }
  return { create, sell, read, readAsMerchant, cancel, expire, paid }
}
