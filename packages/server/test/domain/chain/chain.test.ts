import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ancestorCandidates,
  type Block,
  checkContinuity,
  HEADERS_KEPT,
  type Header,
  isPaymentPool,
} from '../../../src/domain/chain/chain.ts'
import { consensusParams } from '../../../src/domain/chain/network-upgrade.ts'
import { canContainPayment, isTransactionExpired, isWatched } from '../../../src/domain/sale/payment.ts'

const previous: Header = {
  height: 41,
  hash: 'aa',
  prevHash: '99',
  time: 1,
  treeSizes: { sapling: 5, orchard: 10, ironwood: 20 },
}
const block: Block = {
  height: 42,
  hash: 'bb',
  prevHash: 'aa',
  time: 2,
  treeSizes: { sapling: 5, orchard: 11, ironwood: 23 },
  outputCounts: { sapling: 0, orchard: 1, ironwood: 3 },
  transactions: [],
}

test('a block extends the chain when height, previous hash and every tree size match', () => {
  assert.equal(checkContinuity(previous, block), null)
  assert.deepEqual(checkContinuity(previous, { ...block, height: 43 }), { problem: 'gap', expected: 42 })
  assert.deepEqual(checkContinuity(previous, { ...block, height: 41 }), { problem: 'gap', expected: 42 })
  assert.deepEqual(checkContinuity(previous, { ...block, prevHash: 'ab' }), { problem: 'fork' })
})

test('one output too few or too many in any pool is detected', () => {
  for (const pool of ['sapling', 'orchard', 'ironwood'] as const) {
    for (const change of [-1, 1]) {
      const treeSizes = { ...block.treeSizes, [pool]: block.treeSizes[pool] + change }
      assert.deepEqual(checkContinuity(previous, { ...block, treeSizes }), {
        problem: 'hidden_outputs',
        pool,
        expected: block.treeSizes[pool],
        given: block.treeSizes[pool] + change,
      })
    }
  }
})

test('ancestor candidates go back in doubling steps from 10 and end with the oldest height', () => {
  assert.deepEqual([...ancestorCandidates(1_000, 0)], [990, 980, 960, 920, 840, 680, 360, 0])
  assert.deepEqual([...ancestorCandidates(10, 10)], [10])
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.nat(HEADERS_KEPT), (oldest, kept) => {
      const tip = oldest + kept
      const heights = [...ancestorCandidates(tip, oldest)]
      assert.equal(heights.at(-1), oldest)
      assert.ok(heights.length <= 9)
      for (const [i, height] of heights.entries()) {
        assert.ok(height >= oldest && (i === 0 || height < heights[i - 1]!))
        assert.ok(height === oldest || tip - height === 10 * 2 ** i)
      }
    }),
  )
})

test('exactly one pool counts at a height: Orchard below NU6.3, Ironwood from NU6.3 on', () => {
  const params = consensusParams('regtest', { nu63Height: 100, nu7Height: null })
  assert.deepEqual([isPaymentPool('orchard', 99, params), isPaymentPool('ironwood', 99, params)], [true, false])
  assert.deepEqual([isPaymentPool('orchard', 100, params), isPaymentPool('ironwood', 100, params)], [false, true])
})

test('an unmined transaction expires when its last height is reached; with 0 or unknown it never does', () => {
  assert.deepEqual(
    [isTransactionExpired(50, 49), isTransactionExpired(50, 50), isTransactionExpired(50, 51)],
    [false, true, true],
  )
  assert.deepEqual([isTransactionExpired(0, 1e9), isTransactionExpired(null, 1e9)], [false, false])
})

test('an invoice is watched until the last second of its window, and has no lower bound', () => {
  const window = { watchUntil: 200_000 }
  assert.equal(isWatched(window, 0), true)
  assert.equal(isWatched(window, 200_000), true)
  assert.equal(isWatched(window, 200_001), false)
})

test('a block that is read again can contain a payment above the invoice’s creation height or a later rewind', () => {
  const invoice = { id: 7, createdHeight: 100, createdRewind: 1 }
  assert.deepEqual([canContainPayment(invoice, 100, []), canContainPayment(invoice, 101, [])], [false, true])
  const earlier = { id: 1, toHeight: 90, newestInvoiceId: 6 }
  const later = { id: 2, toHeight: 95, newestInvoiceId: 6 }
  const above = { id: 3, toHeight: 120, newestInvoiceId: 8 }
  assert.equal(canContainPayment(invoice, 100, [earlier, above]), false)
  const rewinds = [earlier, later, above]
  assert.deepEqual([canContainPayment(invoice, 95, rewinds), canContainPayment(invoice, 96, rewinds)], [false, true])
  assert.equal(canContainPayment({ ...invoice, createdHeight: null }, 1, rewinds), true)
  const old = { ...invoice, createdRewind: null }
  assert.equal(canContainPayment(old, 96, rewinds), false, 'an old invoice is covered by rewinds that knew it')
  assert.equal(canContainPayment(old, 96, [{ ...later, newestInvoiceId: 7 }]), true)
})
