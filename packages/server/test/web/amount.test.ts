import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDecimal } from '../../src/web/amount.ts'

test('money is typed with a decimal comma or point, and with no more decimal places than the currency has', () => {
  const euros = (text: string) => parseDecimal(text, 2)
  assert.deepEqual(['25', '25,00', ' 25.5 ', '0.01', '007'].map(euros), ['25', '25.00', '25.5', '0.01', '007'])
  for (const text of [
    '',
    '0',
    '0,00',
    '1,000',
    '1.000',
    '1,000.00',
    '25.',
    '.5',
    '-1',
    '1e3',
    '٢٥',
    '1 000',
    '9'.repeat(13),
  ])
    assert.equal(euros(text), null, text)
  assert.deepEqual([parseDecimal('100', 0), parseDecimal('100,0', 0)], ['100', null])
})
