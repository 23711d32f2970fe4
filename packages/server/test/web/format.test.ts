import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headlineMoney, headlineZec } from '../../src/web/format.ts'

test('a headline has four significant digits, and never fewer than those before the point', () => {
  const shown = [0n, 1n, 123_456n, 12_500_000n, 448_412_345n, 99_996_000n, 123_456_789_012n, 2_099_999_912_345_678n]
  assert.deepEqual(shown.map(headlineZec), [
    '0 ZEC',
    '0.00000001 ZEC',
    '0.001235 ZEC',
    '0.125 ZEC',
    '4.484 ZEC',
    '1 ZEC',
    '1,235 ZEC',
    '20,999,999 ZEC',
  ])
})

test('money in a headline has its decimals below a thousand, and none from there on', () => {
  assert.deepEqual(
    [0n, 81_250n, 99_999n, 548_150n, 123_456_789n].map(units => headlineMoney(units, 'EUR')),
    ['€0.00', '€812.50', '€999.99', '€5,482', '€1,234,568'],
  )
  assert.deepEqual([headlineMoney(5_481n, 'JPY'), headlineMoney(5_481_000n, 'KWD')], ['¥5,481', 'KWD\u00a05,481'])
})
