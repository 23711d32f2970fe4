import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmationSecs, formatWaitingTime } from '../../../src/domain/sale/confirmation-time.ts'

test('the waiting time of confirmations is formatted before NU7 and from NU7 on', () => {
  const cases: readonly (readonly [confirmations: number, spacingSecs: number, text: string])[] = [
    [0, 75, 'at once'],
    [0, 25, 'at once'],
    [1, 75, 'about 75 seconds'],
    [1, 25, 'about 25 seconds'],
    [2, 75, 'about 3 minutes'],
    [3, 75, 'about 4 minutes'],
    [3, 25, 'about 75 seconds'],
    [5, 25, 'about 2 minutes'],
    [10, 75, 'about 15 minutes'],
    [10, 25, 'about 4 minutes'],
    [40, 75, 'about 50 minutes'],
    [100, 25, 'about 40 minutes'],
    [100, 75, 'about 2 hours'],
    [1_000, 75, 'about 21 hours'],
    [1_000, 25, 'about 7 hours'],
    [10_000, 25, 'about 3 days'],
  ]
  for (const [confirmations, spacingSecs, text] of cases)
    assert.equal(
      formatWaitingTime(confirmationSecs(confirmations, spacingSecs)),
      text,
      `${confirmations} × ${spacingSecs}`,
    )
})

test('no time is rounded to zero, and the text uses the largest precise unit', () => {
  assert.equal(formatWaitingTime(1), 'about 5 seconds')
  assert.equal(formatWaitingTime(117), 'about 115 seconds')
  assert.equal(formatWaitingTime(118), 'about 2 minutes')
  assert.equal(formatWaitingTime(9.4 * 60), 'about 9 minutes')
  assert.equal(formatWaitingTime(9.6 * 60), 'about 10 minutes')
  assert.equal(formatWaitingTime(117 * 60), 'about 115 minutes')
  assert.equal(formatWaitingTime(118 * 60), 'about 2 hours')
  assert.equal(formatWaitingTime(47 * 3_600), 'about 47 hours')
  assert.equal(formatWaitingTime(48 * 3_600), 'about 2 days')
})
