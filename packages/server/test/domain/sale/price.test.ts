import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { priceUnits } from '../../../src/domain/rate.ts'
import { parseMoney, priceDecimals, rateCurrencyOf, zatFor } from '../../../src/domain/sale/price.ts'

test('a price is converted at a rate and rounded up to the zat', () => {
  for (const [amount, currency, rate, zat] of [
    ['10', 'USD', '40', 25_000_000n],
    ['10', 'USD', '30', 33_333_334n],
    ['0.01', 'EUR', '1222.31', 819n],
    ['1500', 'JPY', '210000', 714_286n],
    ['0.0065', 'BTC', '0.0065', 100_000_000n],
    ['650000', 'SATS', '0.0065', 100_000_000n],
    ['1', 'SATS', '0.0065', 154n],
    ['1.5', 'ZEC', '', 150_000_000n],
    ['0.000000000001', 'ZEC', '', 1n],
    ['0.000000000001', 'USD', '999999999999', 1n],
  ] as const)
    assert.equal(
      zatFor(parseMoney(amount, currency), rate === '' ? null : { price: rate }),
      zat,
      `${amount} ${currency}`,
    )
})

test('a price stays as it was given, the currency in any case; SATS need the rate of BTC, and ZEC needs none', () => {
  assert.deepEqual(parseMoney('010.50', 'eur'), { amount: '010.50', currency: 'eur' })
  assert.equal(zatFor(parseMoney('010.50', 'eur'), { price: '10.5' }), 100_000_000n)
  const rateCurrency = (currency: string) => rateCurrencyOf(parseMoney('1', currency))
  assert.deepEqual(['usd', 'Btc', 'sats', 'zec'].map(rateCurrency), ['USD', 'BTC', 'BTC', null])
})

test('amounts have the decimal places of their currency', () => {
  const currencies = ['EUR', 'JPY', 'KWD', 'ZEC', 'BTC', 'SATS']
  assert.deepEqual(currencies.map(priceDecimals), [2, 0, 3, 8, 8, 0])
})

test('other amounts and currencies are refused with the name of the field', () => {
  for (const amount of [
    '',
    '0',
    '0.0',
    '-1',
    '+1',
    '1e3',
    '1,5',
    ' 1',
    '.5',
    '5.',
    'NaN',
    '1'.repeat(13),
    `0.${'1'.repeat(13)}`,
  ])
    assert.throws(() => parseMoney(amount, 'USD'), { code: 'invalid_price' }, amount)
  for (const currency of ['', 'US', 'USDT', 'XXZ', 'ETH', '$', 'ſats'])
    assert.throws(() => parseMoney('1', currency), { code: 'invalid_price' }, currency)
  assert.throws(() => zatFor(parseMoney('21000000.00000001', 'ZEC'), null), { code: 'invalid_price' })
  assert.equal(zatFor(parseMoney('21000000', 'ZEC'), null), 2_100_000_000_000_000n)
})

const decimal = fc
  .tuple(fc.bigInt(0n, 10n ** 9n), fc.bigInt(0n, 10n ** 12n - 1n))
  .map(([whole, fraction]) => `${whole}.${fraction.toString().padStart(12, '0')}`)
  .filter(text => /[1-9]/.test(text))

test('the zat are worth at least the price, and one zat fewer is worth less', () => {
  fc.assert(
    fc.property(decimal, decimal, fc.constantFrom('USD', 'BTC', 'SATS', 'ZEC'), (amount, rate, currency) => {
      const usedRate = currency === 'ZEC' ? '1' : rate
      const locked = currency === 'ZEC' ? null : { price: rate }
      // Both sides in the same unit: zat × rate, and the amount × 10^8 zat per ZEC; 1 BTC is 10^8 SATS.
      const worth = (zat: bigint) => zat * priceUnits(usedRate) * (currency === 'SATS' ? 100_000_000n : 1n)
      const price = priceUnits(amount) * 100_000_000n
      fc.pre(price <= worth(2_100_000_000_000_000n))
      const zat = zatFor(parseMoney(amount, currency), locked)
      assert.ok(worth(zat) >= price)
      assert.ok(worth(zat - 1n) < price)
    }),
  )
})
