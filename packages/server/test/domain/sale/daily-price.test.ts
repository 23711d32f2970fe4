import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dailyPriceChanges } from '../../../src/domain/sale/daily-price.ts'
import type { Price } from '../../../src/domain/sale/price.ts'
import { DAY_SECS } from '../../../src/domain/time.ts'

const DAY = 20_000 * DAY_SECS
const sale = (price: Price | null, paidAt: number | null, terms: object = {}) => ({
  accountId: 1,
  purpose: 'sale',
  amountZat: 500n,
  price,
  paidAt,
  ...terms,
})
const paid = (price: Price | null, terms: object = {}) => ({
  before: sale(price, null, terms),
  after: sale(price, DAY + 5, terms),
})

test('the prices of sales that become paid are summed by account, day and currency, in the smallest unit', () => {
  const changes = [
    paid({ amount: '25.00', currency: 'EUR' }),
    paid({ amount: '0.5', currency: 'eur' }),
    paid({ amount: '300', currency: 'JPY' }),
    paid({ amount: '1.999', currency: 'USD' }, { accountId: 2 }),
  ]
  assert.deepEqual(dailyPriceChanges(changes), [
    { accountId: 1, day: DAY, currency: 'EUR', invoices: 2, units: 2_550n, amountZat: 1_000n },
    { accountId: 1, day: DAY, currency: 'JPY', invoices: 1, units: 300n, amountZat: 500n },
    { accountId: 2, day: DAY, currency: 'USD', invoices: 1, units: 200n, amountZat: 500n },
  ])
})

test('what was paid before, has no price in money, is huge, or is no sale adds nothing', () => {
  const price = { amount: '25.00', currency: 'EUR' }
  const unchanged = { before: sale(price, DAY), after: sale(price, DAY, { receivedZat: 9n }) }
  assert.deepEqual(
    dailyPriceChanges([
      unchanged,
      paid(null),
      paid({ amount: '1', currency: 'ZEC' }),
      paid({ amount: '1000', currency: 'SATS' }),
      paid({ amount: '0.1', currency: 'BTC' }),
      // With four decimal places it has 16 digits.
      paid({ amount: '999999999999', currency: 'CLF' }),
      paid(price, { purpose: 'plan' }),
      { before: sale(price, null), after: sale(price, null) },
    ]),
    [],
  )
})
