import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  beginningOf,
  CONCURRENCY_LIMIT,
  fairShares,
  nextConcurrencyLimit,
  RESPONSE_BYTES_SHOWN,
} from '../../../src/domain/notify/delivery.ts'

test('the concurrency limit grows with each success, halves with each failure, and stays between 1 and the maximum', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 200 }), outcomes => {
      let limit: number = CONCURRENCY_LIMIT.initial
      for (const succeeded of outcomes) {
        const next = nextConcurrencyLimit(limit, succeeded)
        assert.ok(next >= 1 && next <= CONCURRENCY_LIMIT.max && Number.isInteger(next))
        assert.ok(succeeded ? next >= limit : next <= limit)
        limit = next
      }
    }),
  )
})

test('slots are divided so that no account exceeds its limit, and every account gets one while there are enough', () => {
  const limit = fc.integer({ min: 1, max: CONCURRENCY_LIMIT.max })
  fc.assert(
    fc.property(fc.array(limit, { maxLength: 600 }), fc.integer({ min: 1, max: 512 }), (limits, total) => {
      const split = fairShares(limits, total)
      assert.equal(split.length, limits.length)
      assert.ok(split.reduce((sum, share) => sum + share, 0) <= total)
      split.forEach((share, index) => {
        assert.ok(share <= (limits[index] as number))
        if (index < total) assert.ok(share >= 1)
      })
    }),
  )
})

test('a page shows the first 2 KiB of a response, without a part of a character, and says when there is more', () => {
  const whole = 'a'.repeat(RESPONSE_BYTES_SHOWN)
  assert.deepEqual(beginningOf(whole), { text: whole, isCut: false })
  assert.deepEqual(beginningOf(`${whole}b`), { text: whole, isCut: true })
  const part = 'a'.repeat(RESPONSE_BYTES_SHOWN - 1)
  assert.deepEqual(beginningOf(`${part}€`), { text: part, isCut: true })
})
