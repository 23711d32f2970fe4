import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changePercent,
  figuresCurrency,
  monthComparison,
  mostUsedCurrency,
  salesValue,
  totalsOf,
  weekComparison,
} from '../../../src/domain/sale/sales-figures.ts'
import { DAY_SECS } from '../../../src/domain/time.ts'

const at = (text: string) => Date.parse(`${text}Z`) / 1000
const day = (text: string) => at(`${text}T00:00`)

test('a week is compared by its complete days with the same days of the last one; its first day with nothing', () => {
  // 2026-11-23 is a Monday.
  assert.equal(weekComparison(at('2026-11-23T23:59')), null)
  assert.deepEqual(weekComparison(at('2026-11-25T12:00')), {
    current: { from: day('2026-11-23'), to: day('2026-11-25') },
    earlier: { from: day('2026-11-16'), to: day('2026-11-18') },
  })
})

test('a month is compared with as many days of the last one, and no more than that has', () => {
  assert.equal(monthComparison(at('2026-03-01T12:00')), null)
  assert.deepEqual(monthComparison(at('2026-03-31T12:00')), {
    current: { from: day('2026-03-01'), to: day('2026-03-29') },
    earlier: { from: day('2026-02-01'), to: day('2026-03-01') },
  })
  assert.deepEqual(monthComparison(at('2026-01-03T00:00'))?.earlier, {
    from: day('2025-12-01'),
    to: day('2025-12-03'),
  })
})

test('a change is rounded to percent, and is unknown when there was nothing before', () => {
  assert.deepEqual(
    [changePercent(112n, 100n), changePercent(88n, 100n), changePercent(1_004n, 1_000n), changePercent(0n, 3n)],
    [12, -12, 0, -100],
  )
  assert.deepEqual([changePercent(5n, 0n), changePercent(0n, 0n)], [null, null])
})

const DAYS = [
  { day: DAY_SECS, receivedZat: 300n, refundedZat: 20n, invoices: 3 },
  { day: 2 * DAY_SECS, receivedZat: 1_000n, refundedZat: 0n, invoices: 1 },
]
const PRICES = [
  { day: DAY_SECS, currency: 'EUR', invoices: 2, units: 2_550n, amountZat: 200n },
  { day: DAY_SECS, currency: 'USD', invoices: 1, units: 700n, amountZat: 100n },
  { day: 2 * DAY_SECS, currency: 'USD', invoices: 1, units: 900n, amountZat: 1_000n },
]

test('the days and prices of a span are summed, its end left out', () => {
  assert.deepEqual(totalsOf(DAYS, PRICES, 'EUR', { from: DAY_SECS, to: 2 * DAY_SECS }), {
    receivedZat: 300n,
    refundedZat: 20n,
    invoices: 3,
    priced: { invoices: 2, units: 2_550n, amountZat: 200n },
  })
  assert.equal(totalsOf(DAYS, PRICES, null, { from: 0, to: 9 * DAY_SECS }).priced.invoices, 0)
})

test('the currency is that of most sales; of as many, the first by name', () => {
  assert.equal(mostUsedCurrency(PRICES), 'EUR')
  assert.equal(mostUsedCurrency([...PRICES, { ...PRICES[2]!, day: 9 * DAY_SECS }]), 'USD')
  assert.equal(mostUsedCurrency([]), null)
})

test('sales with prices have their value; what has none needs a rate, and its value is no exact one', () => {
  const all = totalsOf(DAYS, PRICES, 'EUR', { from: 0, to: 2 * DAY_SECS })
  assert.equal(salesValue(all, 'EUR', null), null)
  const receivedZat = 200n + 200_000_000n
  // 2 ZEC without a price, at 40.005 EUR.
  assert.deepEqual(salesValue({ ...all, receivedZat }, 'EUR', { price: '40.005' }), { units: 10_551n, isExact: false })
  assert.deepEqual(salesValue({ ...all, invoices: 2, receivedZat }, 'EUR', null), { units: 2_550n, isExact: true })
  assert.deepEqual(salesValue({ ...all, receivedZat: 1n }, 'EUR', { price: '40' }), { units: 2_550n, isExact: false })
})

test('figures are in the currency of the sales, and without a price in that of the store, when it is money', () => {
  assert.equal(figuresCurrency('EUR', 'CHF'), 'EUR')
  assert.equal(figuresCurrency(null, 'CHF'), 'CHF')
  for (const store of ['ZEC', 'BTC', 'SATS', null]) assert.equal(figuresCurrency(null, store), null)
})
