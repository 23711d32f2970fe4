import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  ATTEMPT_TIMEOUT_MS,
  finishAttempt,
  IllegalAttemptError,
  MAX_ATTEMPTS,
  type OpenProgress,
  RETRY_DELAYS_MS,
  type SendingProgress,
  startAttempt,
} from '../../../src/domain/notify/delivery-schedule.ts'

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
