import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ATTEMPT_TIMEOUT_MS,
  CONCURRENCY_LIMIT,
  fairShares,
  finishAttempt,
  IllegalAttemptError,
  MAX_ATTEMPTS,
  nextConcurrencyLimit,
  type OpenProgress,
  RETRY_DELAYS_MS,
  type SendingProgress,
  startAttempt,
} from '../../src/domain/delivery.ts'
import { webhookUrlProblem } from '../../src/domain/webhook.ts'

function startNow(open: OpenProgress): SendingProgress {
  const next = startAttempt(open, open.dueAtMs)
  assert.equal(next.state, 'sending')
  return next as SendingProgress
}

test('a failing delivery has four attempts, 10, 60 and 300 s after the end of the failed one', () => {
  let open: OpenProgress = { state: 'waiting', attempts: 0, dueAtMs: 1_000 }
  const delays: number[] = []
  for (let attempt = 1; ; attempt++) {
    const sending = startNow(open)
    assert.equal(sending.attempts, attempt)
    const endedAtMs = open.dueAtMs + 3_000
    const next = finishAttempt(sending, false, endedAtMs)
    if (next.state !== 'waiting') {
      assert.deepEqual(next, { state: 'failed', attempts: 4 })
      break
    }
    delays.push(next.dueAtMs - endedAtMs)
    open = next
  }
  assert.deepEqual(delays, [10_000, 60_000, 300_000])
})

/** The result of an attempt and its duration: a response, a failure, or a crash. */
const result = fc.oneof(
  fc.record({ kind: fc.constant('failure' as const), durationMs: fc.integer({ min: 0, max: ATTEMPT_TIMEOUT_MS }) }),
  fc.record({ kind: fc.constant('success' as const), durationMs: fc.integer({ min: 0, max: ATTEMPT_TIMEOUT_MS }) }),
  fc.record({ kind: fc.constant('crash' as const), durationMs: fc.integer({ min: 0, max: ATTEMPT_TIMEOUT_MS }) }),
)

test('with any crashes: at most four attempts, none early, and an end only after a success or four attempts', () => {
  fc.assert(
    fc.property(fc.array(result, { minLength: 8, maxLength: 8 }), results => {
      let open: OpenProgress = { state: 'waiting', attempts: 0, dueAtMs: 0 }
      let attempts = 0
      let endOfLast: number | null = null
      for (const { kind, durationMs } of results) {
        const nowMs = open.dueAtMs
        assert.throws(() => startAttempt(open, nowMs - 1), IllegalAttemptError)
        const sending = startAttempt(open, nowMs)
        if (sending.state !== 'sending') {
          assert.deepEqual(sending, { state: 'failed', attempts: MAX_ATTEMPTS })
          assert.equal(attempts, MAX_ATTEMPTS)
          return
        }
        if (endOfLast !== null) assert.ok(nowMs >= endOfLast + (RETRY_DELAYS_MS[attempts - 1] ?? 0))
        attempts += 1
        assert.equal(sending.attempts, attempts)
        assert.ok(sending.dueAtMs > nowMs + ATTEMPT_TIMEOUT_MS, 'it is not due while the attempt can be in flight')
        endOfLast = nowMs + durationMs
        if (kind === 'crash') {
          open = sending
          continue
        }
        const next = finishAttempt(sending, kind === 'success', endOfLast)
        if (next.state === 'waiting') {
          open = next
          continue
        }
        assert.equal(next.state, kind === 'success' ? 'delivered' : 'failed')
        if (kind === 'failure') assert.equal(attempts, MAX_ATTEMPTS)
        return
      }
      assert.fail('it did not end')
    }),
  )
})

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

test('a webhook URL is absolute https without credentials or fragment; http only when it is allowed', () => {
  for (const good of [
    'https://shop.example',
    'https://shop.example/in?key=1',
    'HTTPS://shop.example:8443/',
    'https://bücher.example/',
    `https://shop.example/${'x'.repeat(2_048 - 21)}`,
  ]) {
    assert.equal(webhookUrlProblem(good, false), null, good)
  }
  for (const bad of [
    '',
    'shop.example',
    '/webhook',
    '//shop.example/',
    'https:',
    'https:shop.example',
    'https://',
    'http://shop.example/',
    'ftp://shop.example/',
    'javascript:alert(1)',
    'https://user@shop.example/',
    'https://:secret@shop.example/',
    'https://shop.example/#',
    'https://shop.example/#top',
    ' https://shop.example/',
    'https://shop.example/\n',
    'https://sh op.example/',
    'https://shop.example/a\tb',
    'https://shop.example:99999/',
    'https://[::1/',
    `https://shop.example/${'x'.repeat(2_048 - 20)}`,
  ]) {
    assert.notEqual(webhookUrlProblem(bad, false), null, bad)
  }
  assert.equal(webhookUrlProblem('http://localhost:3001/webhook', true), null)
  assert.notEqual(webhookUrlProblem('ftp://localhost/', true), null)
})
