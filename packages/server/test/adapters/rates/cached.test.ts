import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Rates as Kraken } from '@zatgate/sandbox/rates'
import { createHttpClient } from '../../../src/adapters/http-client/client.ts'
import { createCachedRates } from '../../../src/adapters/rates/cached.ts'
import { krakenRates } from '../../../src/adapters/rates/kraken.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const http = createHttpClient({ allowPrivate: true })

const kraken = await Kraken.start()
after(async () => {
  http.close()
  await kraken.close()
})

const UNAVAILABLE = { code: 'rate_unavailable', message: 'rate unavailable', kind: 'unavailable' }

/** A source whose requests the test resolves. */
function source() {
  const requests: { resolve: (price: string) => void; reject: (error: Error) => void }[] = []
  return {
    requests,
    price: () => new Promise<string>((resolve, reject) => requests.push({ resolve, reject })),
  }
}

test('Kraken: returns the exact price of the last trade, under the older pair names', async () => {
  kraken.setPrice('ZECUSD', '1419.06010')
  kraken.setPrice('ZECEUR', '1222.31000')
  const rates = krakenRates(kraken.url, http)
  assert.equal(await rates.price('USD'), '1419.0601')
  assert.equal(await rates.price('EUR'), '1222.31')
})

test('Kraken: every kind of failure rejects with its reason', async t => {
  t.after(() => Object.assign(kraken.faults, { down: false, response: 'ticker' }))
  const rates = krakenRates(kraken.url, http)
  await assert.rejects(rates.price('JPY'), /EQuery:Unknown asset pair/)
  for (const [response, reason] of [
    ['error', /EService:Unavailable/],
    ['html', SyntaxError],
    ['no_pair', /no price of ZEC in USD/],
    ['zero', /no price of ZEC in USD/],
    ['not_a_number', /no price of ZEC in USD/],
  ] as const) {
    kraken.faults.response = response
    await assert.rejects(rates.price('USD'), reason, response)
  }
  kraken.faults.down = true
  await assert.rejects(rates.price('USD'), { name: 'HttpClientError' })
  await assert.rejects(krakenRates(`${kraken.url}/elsewhere`, http).price('USD'))
})

test('concurrent callers share one request per currency', async () => {
  const rateSource = source()
  const rates = createCachedRates({ source: rateSource, clock: new ManualClock(), maxAgeSecs: 60 })
  const dollars = Promise.all(Array.from({ length: 50 }, () => rates.rate('USD')))
  const euros = rates.rate('EUR')
  assert.equal(rateSource.requests.length, 2)
  rateSource.requests[0]?.resolve('100')
  rateSource.requests[1]?.resolve('90')
  assert.deepEqual(new Set((await dollars).map(({ price }) => price)), new Set(['100']))
  assert.equal((await euros).price, '90')
})

test('a rate is cached, fetched again at half the maximum age, and used until the maximum age if that fails', async () => {
  const clock = new ManualClock()
  const rateSource = source()
  const rates = createCachedRates({ source: rateSource, clock, maxAgeSecs: 60 })
  const first = rates.rate('USD')
  rateSource.requests[0]?.resolve('100')
  assert.equal((await first).fetchedAt, clock.secs)

  clock.advance(29)
  assert.equal((await rates.rate('USD')).price, '100')
  assert.equal(rateSource.requests.length, 1)

  clock.advance(1)
  const kept = rates.rate('USD')
  rateSource.requests[1]?.reject(new Error('down'))
  assert.equal((await kept).price, '100')

  clock.advance(30)
  const last = rates.rate('USD')
  rateSource.requests[2]?.reject(new Error('down'))
  assert.equal((await last).price, '100')

  clock.advance(1)
  const gone = assert.rejects(rates.rate('USD'), UNAVAILABLE)
  rateSource.requests[3]?.reject(new Error('down'))
  await gone

  const back = rates.rate('USD')
  rateSource.requests[4]?.resolve('101')
  assert.equal((await back).price, '101')
})

test('the age of a rate counts from the request: a response that took longer than the maximum age is rejected', async () => {
  const clock = new ManualClock()
  const rateSource = source()
  const rates = createCachedRates({ source: rateSource, clock, maxAgeSecs: 60 })
  const late = assert.rejects(rates.rate('USD'), UNAVAILABLE)
  clock.advance(61)
  rateSource.requests[0]?.resolve('100')
  await late
})

test('a rate that was fetched before the clock was set back is fetched again', async () => {
  const clock = new ManualClock()
  const rateSource = source()
  const rates = createCachedRates({ source: rateSource, clock, maxAgeSecs: 60 })
  const first = rates.rate('USD')
  rateSource.requests[0]?.resolve('100')
  await first
  clock.advance(-3_600)
  const second = rates.rate('USD')
  rateSource.requests[1]?.resolve('120')
  assert.equal((await second).price, '120')
})
