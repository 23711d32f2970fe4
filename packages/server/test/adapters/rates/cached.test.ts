import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { refreshedAhead } from '../../../src/adapters/rates/ahead.ts'
import { createCachedRates } from '../../../src/adapters/rates/cached.ts'
import type { RateSource, SourcePrice } from '../../../src/ports/rate.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const UNAVAILABLE = { code: 'rate_unavailable', message: 'rate unavailable', kind: 'unavailable' }

interface Request {
  readonly currency: string
  readonly resolve: (price: SourcePrice) => void
  readonly reject: (error: Error) => void
}

/** A source whose requests the test answers. */
function manualSource(name: string, offered?: readonly string[]) {
  const requests: Request[] = []
  const source: RateSource = {
    name,
    offers: currency => offered?.includes(currency) ?? true,
    price: currency => new Promise((resolve, reject) => requests.push({ currency, resolve, reject })),
  }
  return {
    ...source,
    requests,
    /** Answers the newest request. */
    says: (price: string, at?: number) => requests.at(-1)?.resolve({ price, ...(at !== undefined && { at }) }),
    fails: () => requests.at(-1)?.reject(new Error('down')),
  }
}

function start({ minSources = 2, count = 3 } = {}) {
  const clock = new ManualClock()
  const sources = ['a', 'b', 'c'].slice(0, count).map(name => manualSource(name))
  const rates = createCachedRates({ sources, crossSource: null, clock, maxAgeSecs: 60, minSources })
  const say = (...prices: string[]) => prices.forEach((price, i) => void sources[i]?.says(price))
  const sent = () => sources.map(({ requests }) => requests.length)
  return { clock, sources, rates, say, sent }
}

test('all callers share one request per source and currency', async () => {
  const { rates, sources, say, sent } = start()
  const dollars = Promise.all(Array.from({ length: 50 }, () => rates.rate('USD')))
  assert.deepEqual(sent(), [1, 1, 1])
  say('100', '101', '102')
  const euros = rates.rate('EUR')
  assert.deepEqual(sent(), [2, 2, 2])
  say('90', '90', '90')
  assert.equal(new Set((await dollars).map(({ price }) => price)).size, 1)
  assert.equal((await euros).price, '90')
  assert.deepEqual(
    sources[0]?.requests.map(({ currency }) => currency),
    ['USD', 'EUR'],
  )
})

test('a caller waits for two sources that agree, and not for the others', async () => {
  const { rates, sources, clock } = start()
  const waiting = rates.rate('USD')
  sources[0]?.says('100')
  sources[2]?.says('100000')
  await turn()
  sources[1]?.says('101')
  assert.deepEqual(await waiting, { currency: 'USD', price: '100', fetchedAt: clock.secs, sources: ['a', 'b'] })
})

test('one source alone waits for the others, and is used only if the minimum is 1', async () => {
  const alone = start({ minSources: 1 })
  let isAnswered = false
  const waiting = alone.rates.rate('USD').finally(() => (isAnswered = true))
  alone.sources[0]?.says('100')
  await turn()
  assert.equal(isAnswered, false)
  for (const source of alone.sources.slice(1)) source.fails()
  assert.equal((await waiting).price, '100')

  const strict = start()
  const refused = assert.rejects(strict.rates.rate('USD'), UNAVAILABLE)
  strict.sources[0]?.says('100')
  for (const source of strict.sources.slice(1)) source.fails()
  await refused
})

test('a rate in use is refreshed at half its age without a wait, and used until its age ends', async () => {
  const { rates, sources, say, sent, clock } = start()
  const first = rates.rate('USD')
  say('100', '100', '100')
  assert.equal((await first).fetchedAt, clock.secs)
  await turn()
  clock.advance(29)
  await rates.rate('USD')
  assert.deepEqual(sent(), [1, 1, 1])

  clock.advance(1)
  assert.equal((await rates.rate('USD')).price, '100')
  assert.deepEqual(sent(), [2, 2, 2])
  for (const source of sources) source.fails()
  await turn()
  clock.advance(30)
  assert.equal((await rates.rate('USD')).price, '100')
  for (const source of sources) source.fails()
  await turn()
  clock.advance(1)
  const gone = assert.rejects(rates.rate('USD'), UNAVAILABLE)
  for (const source of sources) source.fails()
  await gone
})

test('after a failure the sources are asked again after a second, and not before', async () => {
  const { rates, sources, say, sent, clock } = start()
  const failed = assert.rejects(rates.rate('USD'), UNAVAILABLE)
  for (const source of sources) source.fails()
  await failed
  await assert.rejects(rates.rate('USD'), UNAVAILABLE)
  assert.deepEqual(sent(), [1, 1, 1])
  clock.advance(1)
  const back = rates.rate('USD')
  say('101', '101', '101')
  assert.equal((await back).price, '101')
})

test('the age of a quote counts from the request, or from the earlier time that the source gives', async () => {
  const { rates, sources, say, clock } = start()
  const late = assert.rejects(rates.rate('USD'), UNAVAILABLE)
  clock.advance(61)
  say('100', '100', '100')
  await late
  clock.advance(1)
  const next = rates.rate('USD')
  sources[0]?.says('100', clock.secs - 61)
  sources[1]?.says('101', clock.secs - 7)
  sources[2]?.says('102', clock.secs + 3_600)
  assert.deepEqual(await next, { currency: 'USD', price: '101', fetchedAt: clock.secs - 7, sources: ['b', 'c'] })
})

test('a rate that was fetched before the clock was set back is fetched again', async () => {
  const { rates, say, clock } = start()
  const first = rates.rate('USD')
  say('100', '100', '100')
  await first
  await turn()
  clock.advance(-3_600)
  const second = rates.rate('USD')
  say('120', '120', '120')
  assert.equal((await second).price, '120')
})

/** Three sources of USD, one of which also offers PLN, and a source of fiat rates. */
function startCrossed() {
  const clock = new ManualClock()
  const dollars = ['a', 'b'].map(name => manualSource(name, ['USD']))
  const both = manualSource('c', ['USD', 'PLN'])
  const fiat = { price: '3.5', requests: 0, fails: false }
  const crossSource = {
    name: 'fiat',
    async pricesOfUsd() {
      fiat.requests += 1
      if (fiat.fails) throw new Error('down')
      return new Map([['PLN', fiat.price]])
    },
  }
  const sources = [...dollars, both]
  const rates = createCachedRates({ sources, crossSource, clock, maxAgeSecs: 60, minSources: 2 })
  /** Asks for PLN; the sources answer in USD, and the last one in PLN unless it is null. */
  async function zloty(inZloty: string | null, inDollars = ['100', '101']) {
    const waiting = rates.rate('PLN')
    dollars.forEach((source, i) => void source.says(inDollars[i] ?? ''))
    for (const { currency, resolve, reject } of both.requests.splice(0)) {
      if (currency === 'PLN' && inZloty !== null) resolve({ price: inZloty })
      else reject(new Error('down'))
    }
    return waiting
  }
  return { clock, rates, fiat, zloty }
}

test('a currency that too few sources quote is converted from USD, and keeps the fiat rate', async () => {
  const { zloty, clock, fiat } = startCrossed()
  const cross = { source: 'fiat', pair: 'USD/PLN', price: '3.5' }
  const expected = { currency: 'PLN', price: '350', fetchedAt: clock.secs, sources: ['a', 'b'], cross }
  assert.deepEqual(await zloty('351'), expected)
  clock.advance(61)
  assert.deepEqual(await zloty(null), { ...expected, fetchedAt: clock.secs })
  assert.equal(fiat.requests, 1)
})

test('a converted price that a quote in the currency refutes is no rate, and neither is one by an old fiat rate', async () => {
  const { zloty, clock, fiat } = startCrossed()
  fiat.price = '3500'
  await assert.rejects(zloty('351'), UNAVAILABLE)
  clock.advance(3_601)
  fiat.fails = true
  await assert.rejects(zloty(null), UNAVAILABLE)
  clock.advance(31)
  Object.assign(fiat, { fails: false, price: '3.5' })
  assert.equal((await zloty(null)).price, '350')
  clock.advance(61)
  await assert.rejects(zloty(null, ['100', '200']), UNAVAILABLE)
  assert.equal(fiat.requests, 3)
})

test('where two sources of a currency disagree, the price converted from USD shows which of them is right', async () => {
  const source = (name: string, offered: string, price: string): RateSource => {
    return { name, offers: currency => currency === offered, price: async () => ({ price }) }
  }
  const ratesOf = (...euros: string[]) => {
    const inEuros = euros.map((price, i) => source(`e${i}`, 'EUR', price))
    const sources = [...inEuros, source('a', 'USD', '100'), source('b', 'USD', '100')]
    const crossSource = { name: 'fiat', pricesOfUsd: async () => new Map([['EUR', '0.9']]) }
    return createCachedRates({ sources, crossSource, clock: new ManualClock(), maxAgeSecs: 60, minSources: 2 })
  }
  for (const [honest, lie] of [
    ['90', '90000'],
    ['90', '0.09'],
    ['91', '95'],
  ] as const)
    for (const euros of [
      [honest, lie],
      [lie, honest],
    ]) {
      const { price, sources, cross } = await ratesOf(...euros).rate('EUR')
      assert.deepEqual([price, sources, cross?.source], ['90', ['a', 'b'], 'fiat'])
    }
  await assert.rejects(ratesOf('80', '90000').rate('EUR'), UNAVAILABLE, 'it agrees with none')
})

test('currencies in use are refreshed ahead for five minutes; without one there is no timer and no request', async () => {
  const { rates, say, sent, clock } = start()
  const ahead = refreshedAhead(rates, clock, 60)
  assert.deepEqual([clock.sleeping, ahead.report()], [[], []])
  const first = ahead.rate('USD')
  say('100', '100', '100')
  await first
  for (let secs = 30; secs < 300; secs += 30) {
    await turn()
    clock.advance(30)
    await turn()
    say('100', '100', '100')
  }
  await turn()
  assert.deepEqual(sent(), [10, 10, 10])
  assert.deepEqual(
    ahead.report().map(({ currency, quotes }) => [currency, quotes.length]),
    [['USD', 3]],
  )
  clock.advance(30)
  await turn()
  assert.deepEqual([sent(), clock.sleeping, ahead.report()], [[10, 10, 10], [], []])

  const again = ahead.rate('USD')
  ahead.close()
  await again
  await turn()
  assert.deepEqual(clock.sleeping, [])
})
