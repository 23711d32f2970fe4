import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatFixed } from '../../src/domain/money.ts'
import {
  crossedRate,
  currencyDecimals,
  decideRate,
  isCurrency,
  isRateCurrency,
  parsePrice,
  priceUnits,
  type Quote,
} from '../../src/domain/rate.ts'

test('a price is parsed without redundant zeros', () => {
  for (const [text, price] of [
    ['1419.06000', '1419.06'],
    ['1419', '1419'],
    ['1419.00000', '1419'],
    ['0.5', '0.5'],
    ['007.10', '7.1'],
    ['0.000000000001', '0.000000000001'],
    ['0.8510638297872340425', '0.851063829787'],
  ] as const)
    assert.equal(parsePrice(text), price)
})

test('zero, signs, exponents, words, whitespace and too many digits are not prices', () => {
  for (const text of [
    '0',
    '0.00000',
    '',
    '-1',
    '+1',
    '1e3',
    'NaN',
    'Infinity',
    ' 1',
    '1 ',
    '1,5',
    '.5',
    '5.',
    '0x10',
    '1'.repeat(13),
  ])
    assert.equal(parsePrice(text), null, text)
})

test('parsing keeps the value, with any number of surrounding zeros', () => {
  const digits = fc.stringMatching(/^\d{1,12}$/)
  fc.assert(
    fc.property(digits, fc.stringMatching(/^\d{0,12}$/), (whole, fraction) => {
      const scaled = (text: string) => {
        const [before = '', after = ''] = text.split('.')
        return BigInt(before + after.padEnd(12, '0'))
      }
      const text = fraction === '' ? whole : `${whole}.${fraction}`
      const price = parsePrice(text)
      if (scaled(text) === 0n) assert.equal(price, null)
      else assert.equal(scaled(price ?? ''), scaled(text))
      if (price !== null) assert.match(price, /^(0|[1-9]\d*)(\.\d*[1-9])?$/)
    }),
  )
})

test('currencies are those of ISO 4217, each with its number of decimal places', () => {
  assert.deepEqual(['USD', 'EUR', 'JPY', 'usd', 'XXZ', 'US', ''].map(isCurrency), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
  assert.deepEqual(['USD', 'BTC', 'XXZ'].map(isRateCurrency), [true, true, false])
  assert.deepEqual(['USD', 'JPY', 'KWD'].map(currencyDecimals), [2, 0, 3])
})

const NOW = 1_800_000_000
const TERMS = { now: NOW, maxAgeSecs: 60, minSources: 2 }

/** Quotes of the sources a, b, c, …, each of now. */
function quotesOf(...prices: readonly string[]): Quote[] {
  return prices.map((price, i) => ({ source: String.fromCharCode(97 + i), price, at: NOW }))
}

/** The price of the decision, or its problem. */
function outcome(quotes: readonly Quote[], minSources = 2): string | null {
  const { rate, problem } = decideRate(quotes, { ...TERMS, minSources })
  return rate === null ? problem : rate.price
}

test('the rate is the median of the prices that agree within 3 %, and the lower middle one of an even number', () => {
  for (const [prices, expected] of [
    [['100', '103'], '100'],
    [['100', '101', '102'], '101'],
    [['100', '101', '102', '103'], '101'],
    [['100', '101', '102', '100000'], '101'],
    [['0.1', '100', '101'], '100'],
    [['98', '100', '102'], '100'],
    [['100', '101', '110', '1000'], '100'],
  ] as const)
    assert.equal(outcome(quotesOf(...prices)), expected, String(prices))
})

test('two that disagree are no rate, and neither are two pairs that disagree', () => {
  assert.equal(outcome(quotesOf('100', '103.000000000001')), 'disagreement')
  assert.equal(outcome(quotesOf('100', '100000')), 'disagreement')
  assert.equal(outcome(quotesOf('100', '101', '110', '111')), 'disagreement')
  assert.equal(outcome(quotesOf('100', '104', '108')), 'disagreement')
  assert.equal(outcome(quotesOf('100', '104'), 1), 'disagreement')
})

test('one source alone is used only if the minimum is 1', () => {
  assert.equal(outcome(quotesOf('100')), 'too_few')
  assert.equal(outcome(quotesOf('100'), 1), '100')
  assert.equal(outcome(quotesOf('100', '101'), 3), 'too_few')
  assert.equal(outcome(quotesOf('100', '101', '200'), 3), 'disagreement')
  assert.equal(outcome([], 1), 'too_few')
})

test('a quote counts for its maximum age and no longer, also one from the future', () => {
  for (const age of [60, -60]) {
    const [fresh, other] = quotesOf('100', '101') as [Quote, Quote]
    const aged = (secs: number) => [fresh, { ...other, at: NOW - secs }]
    assert.equal(outcome(aged(age)), '100')
    const { rate, leftOut } = decideRate(aged(age + Math.sign(age)), TERMS)
    assert.deepEqual([rate, leftOut], [null, [{ source: 'b', reason: 'stale' }]])
  }
})

test('a decision names its sources, the time of the oldest quote, and why the others are left out', () => {
  const [a, b, c, d, e] = quotesOf('100', '101', '100000', '0', '102') as [Quote, Quote, Quote, Quote, Quote]
  const { rate, leftOut } = decideRate([{ ...e, at: NOW - 61 }, d, c, { ...b, at: NOW - 7 }, a], TERMS)
  assert.deepEqual(rate, { price: '100', fetchedAt: NOW - 7, sources: ['a', 'b'] })
  assert.deepEqual(leftOut, [
    { source: 'e', reason: 'stale' },
    { source: 'd', reason: 'no_price' },
    { source: 'c', reason: 'disagrees' },
  ])
})

/** Prices of which each is within 3 % of every other: the lowest, and parts per million above it. */
const honestPrices = (minLength: number) =>
  fc
    .tuple(fc.bigInt(1_000n, 10n ** 15n), fc.array(fc.bigInt(0n, 29_000n), { minLength, maxLength: 5 }))
    .map(([lowest, above]) => above.map(ppm => (lowest * (1_000_000n + ppm)) / 1_000_000n))

const asText = (millionths: bigint) => formatFixed(millionths, 6)

test('one liar among three or more, at any factor, never moves the rate outside the range of the others', () => {
  const lie = fc.oneof(fc.bigInt(1n, 10n ** 17n), fc.bigInt(900_000n, 1_100_000n))
  fc.assert(
    fc.property(honestPrices(2), lie, fc.boolean(), fc.nat(), (honest, value, isFactor, place) => {
      const liar = isFactor ? ((honest[0] ?? 0n) * value) / 1_000_000n + 1n : value
      fc.pre(liar < 10n ** 18n)
      const prices: bigint[] = [...honest]
      prices.splice(place % (honest.length + 1), 0, liar)
      const { rate } = decideRate(quotesOf(...prices.map(asText)), TERMS)
      assert.ok(rate, 'the honest ones agree')
      const sorted = honest.map(price => priceUnits(asText(price))).sort((x, y) => (x < y ? -1 : 1))
      const units = priceUnits(rate.price)
      assert.ok(units >= (sorted[0] ?? 0n) && units <= (sorted.at(-1) ?? 0n))
    }),
  )
})

test('the order of quotes does not matter, and a rate has the minimum of sources', () => {
  const quote = fc.record({ price: fc.constantFrom('99', '100', '101', '102.9', '104', '0', 'NaN'), age: fc.nat(90) })
  fc.assert(
    fc.property(
      fc.array(quote, { maxLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(5),
      (rows, minSources, turn) => {
        const quotes = rows.map(({ price, age }, i) => ({ source: `s${i}`, price, at: NOW - age }))
        const terms = { ...TERMS, minSources }
        const { rate, problem } = decideRate(quotes, terms)
        const turned = decideRate([...quotes.slice(turn), ...quotes.slice(0, turn)].reverse(), terms)
        assert.deepEqual([turned.rate, turned.problem], [rate, problem])
        if (rate) assert.ok(rate.sources.length >= minSources)
        assert.equal(rate === null, problem !== null)
      },
    ),
  )
})

test('a rate in USD is converted by a fiat rate, which it keeps', () => {
  const usd = { currency: 'USD', price: '1419.06', fetchedAt: NOW, sources: ['a', 'b'] }
  const cross = { source: 'coinbase', pair: 'USD/PLN', price: '3.5' }
  assert.deepEqual(crossedRate(usd, 'PLN', cross), { ...usd, currency: 'PLN', price: '4966.71', cross })
  assert.equal(crossedRate({ ...usd, price: '0.000000000001' }, 'PLN', { ...cross, price: '0.1' }), null)
})
