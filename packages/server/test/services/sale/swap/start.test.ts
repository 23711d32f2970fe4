import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { type Merchant, startTestApi, type TestApi, type TestApiOptions } from '../../../harness/api.ts'
import { stackOf, temporaryFolder } from '../../../harness/container.ts'
import { describePostgres } from '../../../harness/databases.ts'
import { call, type TestResponse } from '../../../harness/http-call.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'
import { BTC, STELLAR } from '../../../harness/swap.ts'
import { startProvider, type TestProvider } from '../../../harness/swap-provider.ts'
import { subscribe } from '../../../harness/websocket-client.ts'

const AMOUNT = 2_500_000
const UNKNOWN = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'
const GOOD = { asset_id: BTC, refund_to: 'the-buyers-own-address' }

class Shop {
  readonly api: TestApi
  readonly provider: TestProvider
  readonly merchant: Merchant

  constructor(api: TestApi, provider: TestProvider, merchant: Merchant) {
    this.api = api
    this.provider = provider
    this.merchant = merchant
  }

  get clock(): ManualClock {
    return this.api.clock
  }

  async invoice(terms: { amount_zat?: number; expires_in_secs?: number } = {}): Promise<string> {
    const json = { amount_zat: AMOUNT, ...terms }
    return (await call(this.api, 'POST /v1/invoices', { token: this.merchant.apiKey, json })).body.id
  }

  start(id: string, json: unknown = GOOD, index: TestApi = this.api): Promise<TestResponse> {
    return call(index, `POST /v1/invoices/${id}/swap`, { json })
  }

  async read(id: string) {
    return (await call(this.api, `GET /v1/invoices/${id}`)).body
  }

  drive(swap: TestResponse, outcome: string): void {
    this.provider.oneclick.drive(swap.body.deposit_address, { outcome, deliver: false })
  }
}

async function openShop(t: TestContext, options: TestApiOptions = {}): Promise<Shop> {
  const clock = new ManualClock()
  const provider = await startProvider(t, { clock })
  const api = await startTestApi({ clock, swapProvider: provider.provider, ...options })
  t.after(() => api.close())
  return new Shop(api, provider, await api.merchant())
}

function assertError({ status, body }: TestResponse, expectedStatus: number, code: string, message: string): void {
  assert.deepEqual([status, body.code, body.message], [expectedStatus, code, message])
}

test('a start returns the full quote, stores it, and shows it in the invoice', async t => {
  const shop = await openShop(t)
  const assets = await call(shop.api, 'GET /v1/swap/assets')
  assert.equal(assets.status, 200)
  assert.deepEqual(assets.body[0], {
    asset_id: BTC,
    symbol: 'BTC',
    blockchain: 'btc',
    decimals: 8,
    price_usd: 83_568,
  })
  const id = await shop.invoice()
  assert.equal((await shop.read(id)).swap, null)

  const { status, body } = await shop.start(id)
  assert.equal(status, 200)
  const deadline = new Date((shop.clock.secs + 900) * 1000).toISOString()
  const { swap_id: swapId, deposit_address: address, ...rest } = body
  assert.match(swapId, /^[0-9a-f-]{36}$/)
  assert.deepEqual(rest, {
    deposit_memo: null,
    amount_in: '42581',
    amount_in_formatted: '0.00042581',
    amount_in_usd: '35.584090080000',
    symbol: 'BTC',
    blockchain: 'btc',
    deadline,
    time_estimate: 150,
  })
  assert.deepEqual((await shop.read(id)).swap, {
    status: 'PENDING_DEPOSIT',
    symbol: 'BTC',
    blockchain: 'btc',
    deposit_address: address,
    amount_in_formatted: '0.00042581',
    deadline,
  })
  const [{ quoteResponse } = {}] = shop.provider.oneclick.swaps()
  const requested = quoteResponse?.quoteRequest
  const invoice = await shop.read(id)
  assert.deepEqual(
    [requested?.recipient, requested?.amount, requested?.refundTo, requested?.deadline],
    [invoice.address, String(AMOUNT), GOOD.refund_to, deadline],
  )
})

test('the deadline is at most 30 minutes away if the invoice expires later', async t => {
  const shop = await openShop(t)
  const { body } = await shop.start(await shop.invoice({ expires_in_secs: 86_400 }))
  assert.equal(body.deadline, new Date((shop.clock.secs + 1_800) * 1000).toISOString())
})

test('a memo is returned if the chain requires one', async t => {
  const shop = await openShop(t)
  const { body } = await shop.start(await shop.invoice(), { ...GOOD, asset_id: STELLAR })
  assert.match(body.deposit_memo, /^\d+$/)
})

test('each error has its status and its exact message', async t => {
  const shop = await openShop(t)
  const { script, settings } = shop.provider.oneclick
  const id = await shop.invoice()
  for (const refund of [{ refund_to: '' }, { refund_to: ' \t' }, {}])
    assertError(await shop.start(id, { asset_id: BTC, ...refund }), 400, 'refund_to_required', 'refund_to required')
  for (const asset of ['', 'nep141:zec.omft.near', 'nep245:v2_1.omni.hot.tg:9745_11111111111111111111', 'BTC'])
    assertError(await shop.start(id, { ...GOOD, asset_id: asset }), 400, 'unsupported_asset_id', 'unsupported asset_id')
  const refused = { ...GOOD, refund_to: 'invalid' }
  assertError(await shop.start(id, refused), 400, 'swap_refused', 'refundTo is not valid')
  const small = await shop.invoice({ amount_zat: 99_999 })
  assertError(await shop.start(small), 400, 'swap_refused', 'Amount is too low for bridge, try at least 100000')
  for (const unknown of [UNKNOWN, 'no-uuid'])
    assertError(await shop.start(unknown), 404, 'no_such_invoice', 'no such invoice')

  for (const response of ['unauthorized', 'forbidden_html', 'bad_gateway_html', 'too_many_requests', 'hang'] as const) {
    script.add('quote', response, 1)
    const failed = await shop.start(await shop.invoice())
    assertError(failed, 502, 'swap_provider_unavailable', 'swap provider unavailable')
    assert.equal(failed.headers.get('retry-after'), response === 'too_many_requests' ? '1' : null)
    shop.clock.advance(1)
  }
  settings.tampering = 'recipient'
  assertError(await shop.start(await shop.invoice()), 502, 'swap_provider_unavailable', 'swap provider unavailable')
  settings.tampering = 'none'

  for (const status of ['KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING', 'SUCCESS']) {
    const other = await shop.invoice()
    shop.drive(await shop.start(other), status)
    const message = `a swap is already in progress (${status})`
    assertError(await shop.start(other), 409, 'swap_in_progress', message)
    assert.equal((await shop.read(other)).swap.status, status)
  }
  const last = await shop.invoice()
  for (let i = 0; i < 5; i++) assert.equal((await shop.start(last)).status, 200)
  const sixth = await shop.start(last)
  assertError(sixth, 429, 'too_many_swap_requests', 'too many swap requests, try again later')
  assert.equal(sixth.headers.get('retry-after'), '600')

  shop.clock.advance(900)
  assertError(await shop.start(id), 409, 'invoice_not_pending', 'invoice is not pending')
})

test('the body is validated like other bodies', async t => {
  const shop = await openShop(t)
  const id = await shop.invoice()
  const wrong = [
    [{ ...GOOD, refund_to: 7 }, 'invalid refund_to'],
    [{ ...GOOD, refund_to: 'x'.repeat(501) }, 'invalid refund_to'],
    [{ refund_to: 'somewhere' }, 'invalid asset_id'],
    [{ ...GOOD, asset_id: null }, 'invalid asset_id'],
    [{ ...GOOD, refund_too: 'x' }, 'unknown field refund_too'],
    ['text', 'invalid json'],
    [[], 'invalid json'],
  ] as const
  for (const [json, message] of wrong) {
    const { status, body } = await shop.start(id, json)
    assert.deepEqual([status, body.message], [400, message])
  }
  assert.equal((await call(shop.api, `POST /v1/invoices/${id}/swap`)).status, 400)
})

test('the provider is polled before a start is checked: a recent refund allows another start', async t => {
  const shop = await openShop(t)
  const id = await shop.invoice()
  const first = await shop.start(id)
  shop.drive(first, 'PROCESSING')
  assert.equal((await shop.start(id)).status, 409)
  shop.drive(first, 'REFUNDED')
  const next = await shop.start(id)
  assert.equal(next.status, 200)
  assert.equal((await shop.read(id)).swap.deposit_address, next.body.deposit_address)
})

test('a provider that cannot return the status of the current swap does not block another start', async t => {
  const shop = await openShop(t)
  const id = await shop.invoice()
  await shop.start(id)
  shop.provider.oneclick.script.add('status', 'bad_gateway_html', 1)
  assert.equal((await shop.start(id)).status, 200)
})

test('starts that the provider refuses or does not answer count too, and a start counts for exactly ten minutes', async t => {
  const shop = await openShop(t)
  const { script, settings } = shop.provider.oneclick
  const quotes = () => shop.provider.server.requests.filter(({ url }) => url === '/v0/quote').length
  const id = await shop.invoice({ expires_in_secs: 86_400 })
  for (let i = 0; i < 10; i++) assert.equal((await shop.start(id, { ...GOOD, asset_id: 'none' })).status, 400)
  assert.equal((await shop.start(id, { ...GOOD, refund_to: 'invalid' })).status, 400)
  shop.clock.advance(60)
  script.add('quote', 'bad_gateway_html', 1)
  assert.equal((await shop.start(id)).status, 502)
  settings.tampering = 'amount'
  assert.equal((await shop.start(id)).status, 502)
  settings.tampering = 'none'
  for (let i = 0; i < 2; i++) assert.equal((await shop.start(id)).status, 200)
  for (let i = 0; i < 200; i++) assert.equal((await shop.start(id)).status, 429)
  assert.equal(quotes(), 5)
  assert.equal((await shop.start(id)).headers.get('retry-after'), '540')
  shop.clock.advance(539)
  assert.equal((await shop.start(id)).status, 429)
  shop.clock.advance(1)
  assert.equal((await shop.start(id)).status, 200)
  assert.equal((await shop.start(id)).status, 429)
  assert.equal((await shop.start(await shop.invoice())).status, 200)
})

test('a request that asks for the status of the current swap counts, whatever its asset', async t => {
  const shop = await openShop(t)
  const id = await shop.invoice()
  assert.equal((await shop.start(id)).status, 200)
  const statuses = []
  for (let i = 0; i < 20; i++) statuses.push((await shop.start(id, { ...GOOD, asset_id: 'none' })).status)
  assert.deepEqual(statuses, [400, 400, 400, 400, ...Array(16).fill(429)])
})

test('five starts still count after a restart', async t => {
  const clock = new ManualClock()
  const { provider: swapProvider } = await startProvider(t, { clock })
  const options = { clock, swapProvider, databaseUrl: `sqlite:${join(temporaryFolder(stackOf(t)), 'test.db')}` }
  const first = await startTestApi(options)
  const { apiKey: token } = await first.merchant()
  const { body } = await call(first, 'POST /v1/invoices', { token, json: { amount_zat: AMOUNT } })
  const start = (index: TestApi) => call(index, `POST /v1/invoices/${body.id}/swap`, { json: GOOD })
  for (let i = 0; i < 3; i++) assert.equal((await start(first)).status, 200)
  await first.close()
  const second = await startTestApi(options)
  t.after(() => second.close())
  for (let i = 0; i < 2; i++) assert.equal((await start(second)).status, 200)
  assert.equal((await start(second)).status, 429)
})

/** Checks that at most five quotes exist, all stored, and that the invoice's swap is one of the returned quotes. */
async function assertOneActive(shop: Shop, id: string, responses: readonly TestResponse[]): Promise<void> {
  const shown = responses.filter(({ status }) => status === 200).map(({ body }) => body)
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200, 429]))
  assert.ok(shown.length >= 1 && shown.length <= 5)
  const invoice = await shop.api.invoices.read(id)
  const stored = await shop.api.store.read(async tx => {
    const found = await Promise.all(Array.from({ length: 30 }, (_, index) => tx.swaps.byId(index + 1)))
    return found.filter(swap => swap?.invoiceId === invoice.id)
  })
  assert.deepEqual(
    new Set(stored.map(swap => swap?.depositAddress)),
    new Set(shown.map(({ deposit_address: address }) => address)),
  )
  assert.equal(stored.length, shown.length)
  const live = stored.filter(swap => swap?.id === invoice.swapId)
  assert.equal(live.length, 1)
  assert.equal((await shop.read(id)).swap.deposit_address, live[0]?.depositAddress)
}

test('twenty concurrent starts leave one active swap, and each returned quote is stored', async t => {
  const shop = await openShop(t)
  const id = await shop.invoice()
  const responses = await Promise.all(Array.from({ length: 20 }, () => shop.start(id)))
  await assertOneActive(shop, id, responses)
})

describePostgres('on PostgreSQL', server => {
  test('starts of one invoice in two processes leave one active swap, and are counted together', async t => {
    const databaseUrl = await server().migratedDatabase()
    const shop = await openShop(t, { databaseUrl })
    const other = await startTestApi({
      databaseUrl,
      clock: shop.clock,
      swapProvider: shop.provider.provider,
    })
    t.after(() => other.close())
    const id = await shop.invoice()
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => shop.start(id, GOOD, i % 2 ? shop.api : other)),
    )
    await assertOneActive(shop, id, responses)

    const next = await shop.invoice()
    for (let i = 0; i < 5; i++) assert.equal((await shop.start(next, GOOD, i % 2 ? shop.api : other)).status, 200)
    for (const index of [shop.api, other]) assert.equal((await shop.start(next, GOOD, index)).status, 429)

    const before = shop.provider.server.requests.filter(({ url }) => url.startsWith('/v0/status')).length
    shop.clock.advance(5)
    const polled = await Promise.all([shop.api.swapStatus.pollDue(100), other.swapStatus.pollDue(100)])
    const requested = shop.provider.server.requests.filter(({ url }) => url.startsWith('/v0/status')).length - before
    assert.equal(polled[0] + polled[1], requested)
    assert.equal(new Set(shop.provider.oneclick.swaps().map(({ depositAddress }) => depositAddress)).size, requested)
  })
})

test('the WebSocket sends the swap status from its start, and each change', async t => {
  const shop = await openShop(t)
  const id = await shop.invoice()
  const client = subscribe(shop.api.url, id)
  t.after(() => client.socket.terminate())
  assert.equal(await client.message(0), '{"status":"pending"}')
  const swap = await shop.start(id)
  assert.equal(await client.message(1), '{"status":"pending","swap_status":"PENDING_DEPOSIT"}')
  for (const [index, status] of ['KNOWN_DEPOSIT_TX', 'PROCESSING', 'SUCCESS'].entries()) {
    shop.drive(swap, status)
    shop.clock.advance(5)
    await shop.api.swapStatus.pollDue(10)
    assert.equal(await client.message(index + 2), `{"status":"pending","swap_status":"${status}"}`)
  }
})

test('pages of any origin can list assets and start swaps', async t => {
  const shop = await openShop(t)
  for (const path of ['/v1/swap/assets', `/v1/invoices/${UNKNOWN}/swap`]) {
    const { status, headers } = await call(shop.api, `OPTIONS ${path}`)
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, '*'])
  }
})

test('the metrics count swaps that need attention', async t => {
  const token = 'a-token-for-metrics'
  const shop = await openShop(t, { settings: { metricsToken: token } })
  const gauge = async () => {
    const { text } = await call(shop.api, 'GET /metrics', { token })
    return /^zatgate_swaps_needing_attention (\d+)$/m.exec(text)?.[1]
  }
  assert.equal(await gauge(), '0')
  shop.drive(await shop.start(await shop.invoice()), 'SUCCESS')
  for (const secs of [5, 3_600]) {
    shop.clock.advance(secs)
    await shop.api.swapStatus.pollDue(10)
  }
  assert.equal(await gauge(), '1')
})

test('without a provider, assets and swaps return an error', async t => {
  const shop = await openShop(t)
  const api = await startTestApi()
  t.after(() => api.close())
  assertError(await call(api, 'GET /v1/swap/assets'), 502, 'swap_provider_unavailable', 'swap provider unavailable')
  const { apiKey } = await api.merchant()
  const { body } = await call(api, 'POST /v1/invoices', { token: apiKey, json: { amount_zat: AMOUNT } })
  assertError(await shop.start(body.id, GOOD, api), 502, 'swap_provider_unavailable', 'swap provider unavailable')
})
