import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_OPEN_OF_ENDPOINT } from '../../../src/domain/notify/endpoint.ts'
import {
  afterFailure,
  choices,
  type EndpointProgress,
  NO_FAILURES,
  nextLookMs,
} from '../../../src/domain/notify/endpoint-progress.ts'

const NOW_MS = 1_800_000_000_000
const DAY_MS = 86_400_000
const PERSISTENT: EndpointProgress = { ...NO_FAILURES, schedule: 'persistent', pausedAt: null }
const STANDARD: EndpointProgress = { ...PERSISTENT, schedule: 'standard' }

interface Try {
  readonly seq?: number
  readonly hasNext?: boolean
  readonly attempts?: number
  readonly isPassed?: boolean
  readonly isTest?: boolean
  readonly jitter?: number
  readonly statusCode?: number | null
  readonly isInterrupted?: boolean
}

function failedAt(before: EndpointProgress, nowMs: number, options: Try = {}) {
  const { seq = 1, hasNext = false, attempts = before.failures + 1 } = options
  const { isPassed = false, isTest = false, jitter = 0, statusCode = null, isInterrupted = false } = options
  const answer = { statusCode, isInterrupted }
  const failed = { seq, attempts, isPassed, isTest, ...answer, begunAtMs: NOW_MS }
  return afterFailure(before, failed, { nowMs, hasNext, jitter })
}

test('a standard endpoint tries a delivery again after 10, 60 and 300 s, and gives it up after four attempts', () => {
  const delays = [1, 2, 3, 4].map(attempts => failedAt(STANDARD, NOW_MS, { attempts }).dueAtMs)
  assert.deepEqual(delays, [NOW_MS + 10_000, NOW_MS + 60_000, NOW_MS + 300_000, null])
  const { progress } = failedAt(STANDARD, NOW_MS, { attempts: 1 })
  assert.equal(progress.retryAtMs, null, 'others do not wait for it')
  assert.equal(progress.failingSince, NOW_MS / 1000)
})

test('a persistent endpoint is tried after 10, 60 and 300 s and 30 minutes, then hourly, and paused after three days', () => {
  let progress = PERSISTENT
  let nowMs = NOW_MS
  const delays: number[] = []
  while (progress.pausedAt === null) {
    progress = failedAt(progress, nowMs).progress
    if (progress.retryAtMs === null) break
    delays.push((progress.retryAtMs - nowMs) / 1000)
    nowMs = progress.retryAtMs
  }
  assert.deepEqual(delays.slice(0, 6), [10, 60, 300, 1_800, 3_600, 3_600])
  assert.ok(delays.slice(4).every(delay => delay === 3_600))
  assert.equal(progress.pausedAt, nowMs / 1000)
  assert.ok(nowMs - NOW_MS >= 3 * DAY_MS && nowMs - NOW_MS < 3 * DAY_MS + 3_600_000)
})

test('the first event that failed is known until a success, however late the results, as after an outage of the service', () => {
  const late = failedAt(PERSISTENT, NOW_MS + 4 * DAY_MS, { seq: 7 }).progress
  assert.equal(late.firstFailedSeq, 7)
  assert.equal(late.failingSince! * 1000, NOW_MS + 4 * DAY_MS, 'the outage is no failure of the endpoint')
  assert.equal(late.pausedAt, null)
  const others = [9, 5].map(seq => failedAt(late, NOW_MS + 5 * DAY_MS, { seq, attempts: 1 }).progress.firstFailedSeq)
  assert.deepEqual(others, [7, 5])
  assert.equal(failedAt(late, NOW_MS + 5 * DAY_MS, { seq: 5, isTest: true }).progress.firstFailedSeq, 7)
  const paused = failedAt({ ...late, failures: 4 }, NOW_MS + 8 * DAY_MS, { seq: 7 }).progress
  assert.deepEqual([paused.pausedAt !== null, paused.firstFailedSeq], [true, 7])
  assert.equal(NO_FAILURES.firstFailedSeq, null)
})

test('the pauses of a persistent endpoint are longer by up to a tenth', () => {
  const delay = (jitter: number) => failedAt(PERSISTENT, NOW_MS, { jitter }).progress.retryAtMs! - NOW_MS
  assert.deepEqual([delay(0), delay(0.5), delay(1)], [10_000, 10_500, 11_000])
})

test('while a persistent endpoint fails, only its oldest delivery is tried, at its time', () => {
  const waiting = [
    { seq: 1, dueAtMs: NOW_MS + 99_000, isPassed: false },
    { seq: 2, dueAtMs: NOW_MS, isPassed: false },
  ]
  const failing = { ...PERSISTENT, failures: 1, retryAtMs: NOW_MS + 10_000 }
  assert.deepEqual(choices(failing, waiting, NOW_MS), [])
  assert.equal(nextLookMs(failing, waiting, NOW_MS), NOW_MS + 10_000)
  assert.deepEqual(choices(failing, waiting, NOW_MS + 10_000), [waiting[0]])
  assert.deepEqual(choices({ ...failing, isProbing: true }, waiting, NOW_MS + 10_000), ['next', waiting[0]])
  assert.deepEqual(choices(failing, [], NOW_MS + 10_000), ['next'])
})

test('from the fourth failure on, another event is tried a second after the oldest, which then keeps its schedule', () => {
  let progress = PERSISTENT
  for (let failure = 1; failure < 4; failure++) {
    progress = failedAt(progress, NOW_MS, { hasNext: true }).progress
    assert.equal(progress.isProbing, false)
  }
  progress = failedAt(progress, NOW_MS, { hasNext: true }).progress
  assert.deepEqual([progress.failures, progress.isProbing, progress.retryAtMs], [4, true, NOW_MS + 1_000])
  const probed = failedAt(progress, NOW_MS + 1_000, { hasNext: true, attempts: 1 })
  const { failures, isProbing, retryAtMs } = probed.progress
  assert.deepEqual([failures, isProbing, retryAtMs], [4, false, NOW_MS + 1_000 + 1_800_000])
  assert.equal(failedAt({ ...progress, isProbing: false }, NOW_MS).progress.isProbing, false, 'there is no other event')
})

test('a delivery that others have passed holds up none, and is tried on its own schedule for three days', () => {
  const passed = { seq: 1, dueAtMs: NOW_MS, isPassed: true }
  assert.deepEqual(choices(PERSISTENT, [passed], NOW_MS), [passed])
  const { progress, dueAtMs } = failedAt(PERSISTENT, NOW_MS, { attempts: 5, isPassed: true })
  assert.deepEqual([progress.retryAtMs, dueAtMs], [null, NOW_MS + 3_600_000])
  assert.deepEqual(choices(progress, [{ ...passed, dueAtMs: NOW_MS + 1 }], NOW_MS), ['next'])
  assert.equal(failedAt(PERSISTENT, NOW_MS + 3 * DAY_MS, { attempts: 70, isPassed: true }).dueAtMs, null)
})

test('without failures the waiting deliveries that are due come before the next event, and nothing is looked at early', () => {
  const waiting = [{ seq: 4, dueAtMs: NOW_MS + 5, isPassed: false }]
  assert.deepEqual(choices(STANDARD, waiting, NOW_MS), ['next'])
  assert.deepEqual(choices(STANDARD, waiting, NOW_MS + 5), waiting)
  assert.equal(nextLookMs(STANDARD, waiting, NOW_MS), NOW_MS + 5)
  assert.equal(nextLookMs(STANDARD, [], NOW_MS), null)
  assert.equal(nextLookMs({ retryAtMs: NOW_MS }, [], NOW_MS), null, 'nothing is left of what failed')
})

test('a test event is tried four times whatever the schedule, and leaves the wait of a persistent endpoint as it is', () => {
  const failing = { ...PERSISTENT, failures: 5, retryAtMs: NOW_MS + 9_000, failingSince: 7 }
  const delays = [1, 2, 3, 4].map(attempts => failedAt(failing, NOW_MS, { attempts, isPassed: true, isTest: true }))
  assert.deepEqual(
    delays.map(({ dueAtMs }) => dueAtMs),
    [NOW_MS + 10_000, NOW_MS + 60_000, NOW_MS + 300_000, null],
  )
  for (const { progress } of delays) assert.deepEqual(progress, failing)
})

test('a persistent endpoint is paused after three days in which it was tried: no earlier test event and no pause of the service counts', () => {
  const tested = { ...PERSISTENT, failingSince: NOW_MS / 1000 - 4 * 86_400 }
  const first = failedAt(tested, NOW_MS, { attempts: 1 })
  assert.deepEqual([first.progress.pausedAt, first.progress.failingSince], [null, NOW_MS / 1000])
  assert.notEqual(first.dueAtMs, null)
  const later = NOW_MS + 4 * DAY_MS
  const second = failedAt(first.progress, later, { attempts: 2 })
  assert.equal(second.progress.pausedAt, null)
  assert.notEqual(second.dueAtMs, null)
  const fifth = failedAt({ ...first.progress, failures: 4 }, later, { attempts: 5 })
  assert.equal(fifth.progress.pausedAt, later / 1000)
})

test('with as many deliveries waiting as an endpoint may have, no further event is begun', () => {
  const waiting = Array.from({ length: MAX_OPEN_OF_ENDPOINT }, (_, index) => {
    return { seq: index + 1, dueAtMs: NOW_MS + 60_000, isPassed: true }
  })
  const held = { retryAtMs: NOW_MS, isProbing: true }
  assert.deepEqual(choices(STANDARD, waiting, NOW_MS), [])
  assert.deepEqual(choices(held, waiting, NOW_MS), [])
  assert.deepEqual(choices(STANDARD, waiting.slice(1), NOW_MS), ['next'])
  const oldest = { seq: 0, dueAtMs: NOW_MS + 60_000, isPassed: false }
  assert.deepEqual(choices(held, [oldest, ...waiting.slice(1)], NOW_MS), [oldest])
  assert.equal(nextLookMs(STANDARD, waiting, NOW_MS), NOW_MS + 60_000)
})

const GREENFIELD: EndpointProgress = { ...PERSISTENT, schedule: 'greenfield' }

test("an endpoint of BTCPay's dialect is tried again after 10 s, a minute and six times ten minutes", () => {
  const delays = [...Array(9).keys()].map(index => failedAt(GREENFIELD, NOW_MS, { attempts: index + 1 }).dueAtMs)
  const secs = [10, 60, 600, 600, 600, 600, 600, 600]
  assert.deepEqual(delays, [...secs.map(delay => NOW_MS + delay * 1_000), null])
})

test('it is tried again when the receiver is silent or in trouble, and not when it refuses the event', () => {
  const isRepeated = (statusCode: number | null) =>
    failedAt(GREENFIELD, NOW_MS, { attempts: 1, statusCode }).dueAtMs !== null
  assert.deepEqual([null, 500, 503, 599, 408, 429].map(isRepeated), Array(6).fill(true))
  assert.deepEqual([301, 400, 401, 404, 410, 422].map(isRepeated), Array(6).fill(false))
})

test('its failures hold up no other event, and never pause it', () => {
  const { progress } = failedAt(GREENFIELD, NOW_MS + 30 * 86_400_000, { attempts: 9 })
  assert.deepEqual([progress.retryAtMs, progress.pausedAt, progress.isProbing], [null, null, false])
})

test('without automatic redelivery an event is sent once, unless it is unknown whether it was', () => {
  const once: EndpointProgress = { ...GREENFIELD, schedule: 'once' }
  assert.equal(failedAt(once, NOW_MS, { attempts: 1, statusCode: 500 }).dueAtMs, null)
  assert.equal(failedAt(once, NOW_MS, { attempts: 1, isInterrupted: true }).dueAtMs, NOW_MS + 10_000)
})
