import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmationsSoFar, confirmsAt } from '../../../src/domain/sale/payment.ts'

test('confirmations are counted from the block of the payment on, up to those required', () => {
  const at = confirmsAt(3, 100)
  const counts = [99, 100, 101, 102, 105].map(tip => confirmationsSoFar(3, at, tip))
  assert.deepEqual(counts, [0, 1, 2, 3, 3])
  assert.equal(confirmationsSoFar(3, null, 100), 0, 'in the mempool')
  assert.equal(confirmationsSoFar(0, confirmsAt(0, 100), 100), 0, 'none is required')
})
