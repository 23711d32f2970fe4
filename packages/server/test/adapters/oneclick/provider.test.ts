import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { SCRIPTED_RESPONSES, type Tampering } from '@zatgate/sandbox/oneclick/script'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { parseViewingKey } from '@zatgate/zcash/viewing-key'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import { createOneClick } from '../../../src/adapters/oneclick/provider.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { QuoteRequest, SwapAsset } from '../../../src/ports/swap-provider.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { startProvider } from '../../harness/swap-provider.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

const clock = new ManualClock()
const key = parseViewingKey(testViewingKey()).orchard
const recipient = key ? encodeAddress('regtest', orchardReceiver(key, 7n)) : ''

function requestFor(asset: SwapAsset, terms: Partial<QuoteRequest> = {}): QuoteRequest {
  return { asset, amountZat: 2_500_000n, recipient, refundTo: 'refund-here', deadline: clock.secs + 900, ...terms }
}

function unavailable(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'bad_gateway' && error.message === 'swap provider unavailable'
}

test('the list contains the assets that can be paid with, by asset id', async t => {
  const { provider } = await startProvider(t, { clock })
  const assets = await provider.assets()
  assert.deepEqual(
    assets.map(asset => `${asset.symbol} on ${asset.blockchain}`),
    [
      'BTC on btc',
      'ETH on eth',
      'USDC on eth',
      'USDC on base',
      'SOL on sol',
      'XLM on stellar',
      'BLACKDRAGON on near',
      'ABG on near',
    ],
  )
  assert.equal(new Set(assets.map(asset => asset.assetId)).size, assets.length)
})

test('each asset with a price is quoted with exact output, its own address, and a memo if required', async t => {
  const { provider, oneclick } = await startProvider(t, { clock })
  const addresses = new Set<string>()
  for (const asset of (await provider.assets()).filter(({ priceUsd }) => priceUsd > 0)) {
    const offer = await provider.quote(requestFor(asset))
    assert.equal(offer.depositMemo !== null, asset.blockchain === 'stellar', asset.blockchain)
    assert.ok(offer.minAmountIn <= offer.amountIn && offer.minAmountIn > 0n)
    assert.ok(offer.quoteDeadline > clock.secs + 86_400)
    addresses.add(offer.depositAddress)
    const status = await provider.status({ address: offer.depositAddress, memo: offer.depositMemo })
    assert.equal(status?.status, 'PENDING_DEPOSIT')
    assert.equal(JSON.parse(offer.raw).quote.depositAddress, offer.depositAddress)
  }
  assert.equal(addresses.size, 7)
  const requests = oneclick.swaps().map(swap => swap.quoteResponse.quoteRequest)
  assert.deepEqual(new Set(requests.map(({ amount }) => amount)), new Set(['2500000']))
  assert.deepEqual(new Set(requests.map(({ recipient: to }) => to)), new Set([recipient]))
})

test('an unknown deposit has no status', async t => {
  const { provider } = await startProvider(t, { clock })
  assert.equal(await provider.status({ address: 'unheard-of', memo: null }), null)
})

test('a refusal passes on the provider’s message, a single text or a list', async t => {
  const { provider, oneclick } = await startProvider(t, { clock })
  const [btc] = await provider.assets()
  assert.ok(btc)
  const refused = (message: string) => (error: unknown) =>
    error instanceof AppError && error.kind === 'invalid' && error.message === message
  await assert.rejects(provider.quote(requestFor(btc, { refundTo: 'invalid' })), refused('refundTo is not valid'))
  await assert.rejects(
    provider.quote(requestFor(btc, { amountZat: 99_999n })),
    refused('Amount is too low for bridge, try at least 100000'),
  )
  oneclick.script.add('quote', 'bad_request_list', 1)
  await assert.rejects(
    provider.quote(requestFor(btc)),
    refused('amount must be a string; refundTo should not be empty'),
  )
})

test('any other failure makes the provider unavailable', async t => {
  const clock = new ManualClock()
  const { provider, oneclick } = await startProvider(t, { clock })
  const [btc] = await provider.assets()
  assert.ok(btc)
  const { depositAddress } = await provider.quote(requestFor(btc))
  /** The pause that a 429 asks for. */
  const pass = () => clock.advance(1)
  for (const error of SCRIPTED_RESPONSES) {
    oneclick.script.add('tokens', error, 1)
    await assert.rejects(provider.assets(), unavailable, `tokens: ${error}`)
    pass()
    oneclick.script.add('status', error, 1)
    await assert.rejects(provider.status({ address: depositAddress, memo: null }), unavailable, `status: ${error}`)
    pass()
    if (error === 'bad_request' || error === 'bad_request_list') continue
    oneclick.script.add('quote', error, 1)
    await assert.rejects(provider.quote(requestFor(btc)), unavailable, `quote: ${error}`)
    pass()
  }
  assert.equal((await provider.assets()).length, 8)
})

test('a quote that differs from the request is rejected, signed or not', async t => {
  const { provider, oneclick } = await startProvider(t, { clock })
  const [btc] = await provider.assets()
  assert.ok(btc)
  const reasons: Readonly<Record<Exclude<Tampering, 'none' | 'replay'>, string>> = {
    recipient: 'invalid quote: recipient differs',
    refund_to: 'invalid quote: refund address differs',
    amount: 'invalid quote: amountOut differs from the requested amount',
    min_amount_in: 'invalid quote: invalid minAmountIn',
    destination_asset: 'invalid quote: destination asset differs',
    deadline: 'invalid quote: requested deadline differs',
    old_timestamp: 'invalid quote: timestamp differs from the clock by more than 5 minutes',
    signature: 'invalid quote signature',
  }
  for (const [tampering, reason] of Object.entries(reasons)) {
    oneclick.settings.tampering = tampering as Tampering
    await assert.rejects(provider.quote(requestFor(btc)), error => {
      assert.ok(unavailable(error))
      assert.equal(((error as AppError).cause as Error).message, reason)
      return true
    })
  }
  oneclick.settings.tampering = 'none'
  assert.ok(await provider.quote(requestFor(btc)))
})

test('an earlier quote that is replayed, correctly signed, is refused once it is five minutes old', async t => {
  const [theirs, ours] = [new ManualClock(), new ManualClock()]
  const { provider, oneclick } = await startProvider(t, { clock: theirs, clientClock: ours })
  const [btc] = await provider.assets()
  assert.ok(btc)
  const request = requestFor(btc)
  const first = await provider.quote(request)
  oneclick.settings.tampering = 'replay'
  for (const clock of [theirs, ours]) clock.advance(300)
  assert.equal((await provider.quote(request)).depositAddress, first.depositAddress)
  for (const clock of [theirs, ours]) clock.advanceMs(1)
  await assert.rejects(provider.quote(request), unavailable)
})

test('a quote timestamp may differ from the clock by at most five minutes in both directions', async t => {
  for (const sign of [1, -1]) {
    const ours = new ManualClock()
    const { provider } = await startProvider(t, { clock, clientClock: ours })
    const [btc] = await provider.assets()
    assert.ok(btc)
    ours.advance(sign * 300)
    assert.ok(await provider.quote(requestFor(btc)))
    ours.advanceMs(sign)
    await assert.rejects(provider.quote(requestFor(btc)), unavailable)
  }
})

test('a quote signed with a key other than the configured one is rejected', async t => {
  const { server, provider } = await startProvider(t, { clock })
  const [btc] = await provider.assets()
  assert.ok(btc)
  const http = createHttpClient({ allowPrivate: true })
  const stranger = createOneClick({ http, apiUrl: server.url, apiKey: null, signingKey: null, clock })
  t.after(() => http.close())
  await assert.rejects(stranger.quote(requestFor(btc)), unavailable)
})

test('a configured API key is sent, and each request is bounded in time and bytes', async t => {
  const { provider, oneclick, server, sent } = await startProvider(t, { clock, apiKey: 'a-key-of-ours' })
  oneclick.settings.apiKey = 'a-key-of-ours'
  const [btc] = await provider.assets()
  assert.ok(btc)
  await provider.quote(requestFor(btc))
  assert.deepEqual(new Set(server.requests.map(({ apiKey }) => apiKey)), new Set(['a-key-of-ours']))
  for (const { deadlineMs, maxBytes } of sent) assert.ok(deadlineMs <= 15_000 && maxBytes <= 4 * 1024 * 1024)
  oneclick.settings.apiKey = 'another'
  await assert.rejects(provider.assets(), unavailable)
})

test('a status of another deposit or without a date is an invalid response', async t => {
  const good = {
    status: 'SUCCESS',
    updatedAt: '2026-11-21T09:00:00.000Z',
    quoteResponse: { quote: { depositAddress: 'a' } },
  }
  const bodies: unknown[] = [
    { ...good, quoteResponse: { quote: { depositAddress: 'b' } } },
    { ...good, updatedAt: null },
    { ...good, status: null },
    { ...good, updatedAt: '2026-99-99T09:00:00.000Z' },
    [good],
    good,
  ]
  const server = createServer((_request, response) => response.end(JSON.stringify(bodies.shift())))
  server.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const http = createHttpClient({ allowPrivate: true })
  const apiUrl = `http://127.0.0.1:${port}`
  const provider = createOneClick({ http, apiUrl, apiKey: null, signingKey: null, clock })
  t.after(() => {
    http.close()
    server.close()
  })
  while (bodies.length > 1) await assert.rejects(provider.status({ address: 'a', memo: null }), unavailable)
  const { status, updatedAtMs } = (await provider.status({ address: 'a', memo: null })) ?? {}
  assert.deepEqual({ status, updatedAtMs }, { status: 'SUCCESS', updatedAtMs: Date.UTC(2026, 10, 21, 9) })
})
