import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { currencyDecimals, isCurrency, parsePrice } from '../../src/domain/rate.ts'

test('a price is parsed without redundant zeros', () => {
  for (const [text, price] of [
    ['1419.06000', '1419.06'],
    ['1419', '1419'],
    ['1419.00000', '1419'],
    ['0.5', '0.5'],
    ['007.10', '7.1'],
    ['0.000000000001', '0.000000000001'],
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
  assert.deepEqual(['USD', 'JPY', 'KWD'].map(currencyDecimals), [2, 0, 3])
})
