import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiter } from '../../src/http/rate-limiter.ts'
import { ManualClock } from '../harness/manual-clock.ts'

const times = (count: number, limiter: RateLimiter, key: string) =>
  Array.from({ length: count }, () => limiter.count(key))

test('a key may send its requests at once, and from then on one for each share of the minute', () => {
  const clock = new ManualClock()
  const limiter = new RateLimiter({ perMinute: 60, atOnce: 3 }, clock)
  assert.deepEqual(times(4, limiter, 'a'), [0, 0, 0, 1000])
  clock.advance(1)
  assert.deepEqual(times(2, limiter, 'a'), [0, 1000])
  clock.advance(3_600)
  assert.deepEqual(times(4, limiter, 'a'), [0, 0, 0, 1000])
  assert.equal(limiter.count('b'), 0)
})

test('rejected requests do not extend the wait', () => {
  const clock = new ManualClock()
  const limiter = new RateLimiter({ perMinute: 60, atOnce: 1 }, clock)
  limiter.count('a')
  times(1_000, limiter, 'a')
  clock.advance(1)
  assert.equal(limiter.count('a'), 0)
})

test('every limit admits exactly its number of requests at once', () => {
  for (const perMinute of [1, 7, 60, 1_200, 59_999])
    for (const atOnce of [1, 5, 100]) {
      const limiter = new RateLimiter({ perMinute, atOnce }, new ManualClock())
      assert.equal(times(atOnce + 5, limiter, 'a').filter(waitMs => waitMs === 0).length, atOnce)
    }
})

test('a clock that is set back delays a key by no more than its limit', () => {
  const clock = new ManualClock()
  const limiter = new RateLimiter({ perMinute: 60, atOnce: 2 }, clock)
  times(2, limiter, 'a')
  clock.advance(-86_400)
  assert.equal(limiter.count('a'), 1000)
})

test('it keeps a bounded number of keys and forgets those that were quiet for the longest time', () => {
  const limiter = new RateLimiter({ perMinute: 1, atOnce: 1 }, new ManualClock(), 10)
  for (let key = 0; key < 1_000; key++) limiter.count(String(key))
  assert.equal(limiter.size, 10)
  assert.ok(limiter.count('999') > 0)
  assert.equal(limiter.count('0'), 0)
})
