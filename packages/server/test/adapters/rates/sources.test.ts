import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { RATE_SOURCES, Rates as Tickers } from '@zatgate/sandbox/rates'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import { createRateSources } from '../../../src/adapters/rates/sources.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const http = createHttpClient({ allowPrivate: true })
const clock = new ManualClock()
const tickers = await Tickers.start(0, clock)
const urls = Object.fromEntries(RATE_SOURCES.map(name => [name, tickers.url]))

afterEach(() => {
  Object.assign(tickers.faults, { down: false, response: 'ticker' })
  clock.advance(60)
})
after(async () => {
  http.close()
  await tickers.close()
})

function sourceOf(name: string) {
  const source = createRateSources(urls, http, clock).sources.find(found => found.name === name)
  assert.ok(source)
  return source
}

test('each source returns the exact price of the pairs that it offers', async () => {
  tickers.setPrice('ZECUSD', '1419.06010')
  for (const name of RATE_SOURCES) {
    const source = sourceOf(name)
    const { price, at } = await source.price('USD')
    assert.equal(price, '1419.0601', name)
    assert.equal(at, name === 'coingecko' ? clock.secs : undefined)
    assert.equal((await source.price('BTC')).price, '0.0145', name)
  }
  const offers = (currency: string) => RATE_SOURCES.filter(name => sourceOf(name).offers(currency))
  assert.deepEqual(['USD', 'BTC', 'EUR', 'PLN', 'XPF'].map(offers), [
    RATE_SOURCES,
    RATE_SOURCES,
    ['kraken', 'coingecko'],
    ['coingecko'],
    [],
  ])
  assert.equal((await sourceOf('kraken').price('EUR')).price, '1222.31')
})

test('CoinGecko answers for all currencies with one request in 20 seconds, and again after a failure', async () => {
  const source = sourceOf('coingecko')
  const before = tickers.requests.coingecko
  const sent = () => tickers.requests.coingecko - before
  await Promise.all([source.price('USD'), source.price('EUR'), source.price('BTC')])
  assert.equal(sent(), 1)
  clock.advance(20)
  tickers.faults.response = 'error'
  await assert.rejects(source.price('USD'), /status 429/)
  tickers.faults.response = 'ticker'
  await source.price('USD')
  assert.equal(sent(), 3)
})

test('every kind of failure rejects with its reason', async () => {
  const noPrice = /no price of ZEC in USD/
  const reasons = {
    kraken: { error: /EService:Unavailable/, no_pair: noPrice },
    coinbase: { error: /status 500/, no_pair: /status 404/ },
    gemini: { error: /status 503/, no_pair: /status 400/ },
    coingecko: { error: /status 429/, no_pair: /when its price was true/ },
  }
  for (const name of RATE_SOURCES) {
    const expected = { ...reasons[name], html: SyntaxError, zero: noPrice, not_a_number: noPrice } as const
    for (const [response, reason] of Object.entries(expected)) {
      Object.assign(tickers.faults, { response })
      await assert.rejects(sourceOf(name).price('USD'), reason, `${name} ${response}`)
    }
    Object.assign(tickers.faults, { response: 'ticker', down: true })
    await assert.rejects(sourceOf(name).price('USD'), { name: 'HttpClientError' }, name)
    tickers.faults.down = false
  }
})

test('answers of another form are no price, and redirects are not followed', async () => {
  const answers = [
    ['kraken', '{"error":[],"result":{"XZECZUSD":{"c":["1e3"]}}}'],
    ['kraken', '{"error":[],"result":{"XZECZUSD":{"c":"100"}}}'],
    ['kraken', 'null'],
    ['coinbase', '{"data":{"amount":"100","base":"ZEC","currency":"EUR"}}'],
    ['coinbase', '{"data":{"amount":{"value":"100"},"currency":"USD"}}'],
    ['gemini', '{"last":null}'],
    ['gemini', '{"last":["100"]}'],
    ['gemini', '[]'],
    ['coingecko', '{"zcash":{"usd":100}}'],
    ['coingecko', '{"zcash":{"usd":-100,"last_updated_at":1800000000}}'],
    ['coingecko', '{"zcash":{"usd":1e3,"last_updated_at":1800000000}}'],
    ['coingecko', '{"bitcoin":{"usd":100,"last_updated_at":1800000000}}'],
  ] as const
  const answering = (status: number, body: string) => ({
    send: async () => ({ status, headers: { location: tickers.url }, body: Buffer.from(body) }),
  })
  for (const [name, body] of answers) {
    const { sources } = createRateSources({ [name]: tickers.url }, answering(200, body), clock)
    await assert.rejects(async () => sources[0]?.price('USD'), Error, `${name} ${body}`)
  }
  for (const name of RATE_SOURCES) {
    const { sources } = createRateSources({ [name]: tickers.url }, answering(302, ''), clock)
    await assert.rejects(async () => sources[0]?.price('USD'), /status 302/)
  }
})

test('the digits of a JSON number are kept', async () => {
  const body = '{"zcash":{"usd":1419.060000000001,"last_updated_at":1800000000}}'
  const send = async () => ({ status: 200, headers: {}, body: Buffer.from(body) })
  const { sources } = createRateSources({ coingecko: 'http://x' }, { send }, clock)
  assert.deepEqual(await sources[0]?.price('USD'), { price: '1419.060000000001', at: 1_800_000_000 })
})

test('Coinbase gives fiat rates; without it there are none', async () => {
  const { crossSource } = createRateSources(urls, http, clock)
  const prices = await crossSource?.pricesOfUsd()
  assert.deepEqual([prices?.get('PLN'), prices?.get('JPY')], ['3.6455', '151.345'])
  tickers.faults.response = 'zero'
  assert.equal((await crossSource?.pricesOfUsd())?.size, 0)
  tickers.faults.response = 'html'
  await assert.rejects(async () => crossSource?.pricesOfUsd(), SyntaxError)
  assert.equal(createRateSources({ kraken: tickers.url }, http, clock).crossSource, null)
})
