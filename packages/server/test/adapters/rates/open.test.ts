import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  RATE_RESPONSES,
  RATE_SOURCES,
  type RateSourceName,
  type RatesFaults,
  Rates as Tickers,
} from '@zatgate/sandbox/rates'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import { openRates } from '../../../src/adapters/rates/open.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

/** The rate of a currency at a new service, while sources of the sandbox have faults. */
async function rateWith(faults: { readonly [Name in RateSourceName]?: Partial<RatesFaults> }, currency = 'USD') {
  const clock = new ManualClock()
  const tickers = await Tickers.start(0, clock)
  const http = createHttpClient({ allowPrivate: true })
  for (const [name, change] of Object.entries(faults)) Object.assign(tickers.faultsOf[name as RateSourceName], change)
  const sources = Object.fromEntries(RATE_SOURCES.map(name => [name, tickers.url]))
  const rates = openRates({ sources, minSources: 2, maxAgeSecs: 60 }, http, clock)
  try {
    const { price, cross } = await rates
      .rate(currency)
      .catch(error => ({ price: error.code as string, cross: undefined }))
    return cross ? `${price} by ${cross.pair}` : price
  } finally {
    rates.close()
    http.close()
    await tickers.close()
  }
}

test('one faulty source, of every kind, neither stops a rate nor changes it', async () => {
  const faults = [{ down: true }, { hang: true }, ...RATE_RESPONSES.map(response => ({ response }))]
  for (const fault of faults)
    for (const name of RATE_SOURCES)
      assert.equal(await rateWith({ [name]: fault }), '1419.06', `${name} ${JSON.stringify(fault)}`)
})

test('two faulty sources leave two that agree; three leave no rate', async () => {
  const down = { down: true }
  const thousandfold = { response: 'thousandfold' } as const
  assert.equal(await rateWith({ kraken: down, gemini: down }), '1419.06')
  assert.equal(await rateWith({ kraken: thousandfold, gemini: down }), '1419.06')
  assert.equal(await rateWith({ kraken: thousandfold, gemini: down, coinbase: down }), 'rate_unavailable')
  assert.equal(await rateWith({ kraken: down, gemini: down, coinbase: down }), 'rate_unavailable')
})

test('other currencies are converted from USD, unless the fiat rate is refuted or missing', async () => {
  assert.equal(await rateWith({}, 'EUR'), '1222.31')
  assert.equal(await rateWith({ coingecko: { response: 'stale' } }, 'EUR'), '1222.309999968048 by USD/EUR')
  assert.equal(await rateWith({}, 'PLN'), '5173.18323 by USD/PLN')
  assert.equal(await rateWith({ coinbase: { down: true } }, 'PLN'), 'rate_unavailable')
  assert.equal(
    await rateWith({ coinbase: { response: 'thousandfold' }, coingecko: { response: 'stale' } }, 'EUR'),
    'rate_unavailable',
  )
})
