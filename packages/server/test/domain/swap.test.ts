import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SwapState, SwapStatus } from '../../src/domain/swap.ts'
import {
  depositDeadline,
  eventOf,
  formatUnits,
  isSettled,
  isStuck,
  isUnderWay,
  nextPollMs,
  SWAP_STATUSES,
  told,
} from '../../src/domain/swap.ts'

const fresh: SwapState = {
  status: 'PENDING_DEPOSIT',
  depositSeenAt: null,
  successAt: null,
  quoteDeadline: 1_000_000,
  createdAt: 0,
}

const statuses = fc.constantFrom<SwapStatus>(...SWAP_STATUSES)

test('a swap without a deposit holds nothing open and is never stuck', () => {
  assert.equal(isUnderWay(fresh, 0), false)
  assert.equal(isStuck(fresh, false, 10 ** 9), false)
})

test('a deposit holds the invoice open until the swap is refunded, fails, or an hour after SUCCESS', () => {
  for (const status of ['KNOWN_DEPOSIT_TX', 'INCOMPLETE_DEPOSIT', 'PROCESSING'] as const) {
    assert.equal(isUnderWay(told(fresh, status, 100), 10 ** 9), true, status)
  }
  for (const status of ['REFUNDED', 'FAILED'] as const) {
    assert.equal(isUnderWay(told(told(fresh, 'PROCESSING', 100), status, 200), 200), false, status)
  }
  const done = told(fresh, 'SUCCESS', 100)
  assert.equal(isUnderWay(done, 100 + 3_599), true)
  assert.equal(isUnderWay(done, 100 + 3_600), false)
})

test('a deposit that falls back to PENDING_DEPOSIT no longer holds the invoice', () => {
  assert.equal(isUnderWay(told(told(fresh, 'KNOWN_DEPOSIT_TX', 10), 'PENDING_DEPOSIT', 20), 20), false)
})

test('PROCESSING and SUCCESS without coins are stuck after an hour, and never once the coins are seen', () => {
  for (const status of ['PROCESSING', 'SUCCESS'] as const) {
    const swap = told(fresh, status, 100)
    assert.equal(isStuck(swap, false, 3_699), false, status)
    assert.equal(isStuck(swap, false, 3_700), true, status)
    assert.equal(isStuck(swap, true, 3_700), false, status)
  }
})

test('the first sighting of a deposit and of SUCCESS stay, whatever comes after', () => {
  fc.assert(
    fc.property(fc.array(statuses, { minLength: 1, maxLength: 12 }), words => {
      let swap = fresh
      words.forEach((word, at) => {
        const before = swap
        swap = told(swap, word, at + 1)
        if (before.depositSeenAt !== null) assert.equal(swap.depositSeenAt, before.depositSeenAt)
        if (before.successAt !== null) assert.equal(swap.successAt, before.successAt)
      })
      assert.equal(swap.status, words.at(-1))
    }),
  )
})

test('three statuses raise an event, and only those', () => {
  assert.deepEqual(
    SWAP_STATUSES.map(status => eventOf(status)),
    [null, null, 'swap.incomplete_deposit', null, null, 'swap.refunded', 'swap.failed'],
  )
})

test('polls come every 5 s, then 15 s, then a minute; errors back off, bounded; a settled or old swap is left alone', () => {
  assert.equal(nextPollMs(fresh, 0, 119), 5_000)
  assert.equal(nextPollMs(fresh, 0, 120), 15_000)
  assert.equal(nextPollMs(fresh, 0, 1_800), 60_000)
  assert.equal(nextPollMs(fresh, 2, 0), 20_000)
  assert.equal(nextPollMs(fresh, 1_000, 1_800), 300_000)
  assert.equal(nextPollMs(fresh, 0, 1_000_000 + 86_401), null)
  for (const status of SWAP_STATUSES.filter(isSettled)) assert.equal(nextPollMs(told(fresh, status, 1), 0, 2), null)
})

test('the buyer has 30 minutes or until the invoice expires', () => {
  assert.equal(depositDeadline(10_000, 0), 1_800)
  assert.equal(depositDeadline(900, 0), 900)
})

test('units become decimals and nothing is lost', () => {
  assert.equal(formatUnits(5_000_000n, 6), '5')
  assert.equal(formatUnits(1n, 18), '0.000000000000000001')
  assert.equal(formatUnits(120n, 0), '120')
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), fc.integer({ min: 0, max: 24 }), (amount, decimals) => {
      const [whole = '', fraction = ''] = formatUnits(amount, decimals).split('.')
      assert.equal(BigInt(whole + fraction.padEnd(decimals, '0')), amount)
    }),
  )
})
