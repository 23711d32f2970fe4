import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import type {
  EndpointClaim,
  EndpointDeliveryRow,
  EndpointRow,
  KnownEndpointDelivery,
} from '../../../src/parts/endpoint/ledger.ts'
import {
  type EndpointChange,
  orderProblem,
  pauseProblem,
  progressProblem,
} from '../../../src/parts/endpoint/progress.ts'
import { requestProblem } from '../../../src/parts/endpoint/request.ts'
import type { WebhookRequest } from '../../../src/world/receivers.ts'
import { eventRow, NOW_SECS } from '../fake-world.ts'
import { ENDPOINT, NOW_MS, PROCESS, SECRET, SENDING, URL } from './rows.ts'

const DAY_SECS = 86_400

/** A delivery whose attempt had this result. */
function sent(status: number, row: EndpointDeliveryRow = SENDING): KnownEndpointDelivery {
  const outcome = { status, succeeded: status === 200, atMs: NOW_MS, clockMs: NOW_MS, idles: 1 }
  const claim = {
    process: PROCESS,
    attempt: Number(row.attempts),
    accountId: 1n,
    seq: row.event_seq,
    targets: [],
    request: { outcome } as unknown as WebhookRequest,
  }
  return { row, claims: [claim] }
}

/** The circumstances in which the endpoint becomes `after`. */
function becomes(after: Partial<EndpointRow>, before: Partial<EndpointRow> = {}): EndpointChange {
  return {
    committer: PROCESS,
    before: { ...ENDPOINT, ...before },
    after: { ...ENDPOINT, ...before, ...after },
    isReplaced: false,
    prunedSeq: 0n,
    clockRangeMs: 0,
    idles: 9,
    isHealthy: true,
    suspendedAtMs: Number.NEGATIVE_INFINITY,
  }
}

const at = (ms: number) => BigInt(NOW_MS + ms)
const rulesOf = (...problems: (readonly [string, string?] | null)[]) => problems.map(problem => problem?.[0] ?? null)

test('a standard endpoint is tried 10, 60 and 300 s after a failure, four times', () => {
  const standard = becomes({}, { schedule: 'standard' })
  const retry = (attempts: bigint, ms: number) =>
    progressProblem(
      sent(500, { ...SENDING, attempts }),
      { ...SENDING, attempts, state: 'waiting', due_at_ms: at(ms) },
      standard,
    )
  assert.deepEqual(rulesOf(retry(1n, 10_000), retry(2n, 60_000), retry(3n, 300_000)), [null, null, null])
  assert.match(retry(1n, 10_001)?.[0] ?? '', /^attempts follow/)
  assert.match(retry(4n, 300_000)?.[0] ?? '', /fails after 4 attempts/)
  const failed = (attempts: bigint) =>
    progressProblem(
      sent(500, { ...SENDING, attempts }),
      { ...SENDING, attempts, state: 'failed', due_at_ms: null },
      standard,
    )
  assert.deepEqual(rulesOf(failed(4n), failed(3n)), [
    null,
    'a delivery to an endpoint fails after 4 attempts, or after three days',
  ])
})

test('a persistent endpoint waits longer after each failure of its oldest event, and a second before another one', () => {
  const rule = 'a persistent endpoint is tried less and less often, at last every hour'
  const after = (failures: bigint, retryMs: number, extra: Partial<EndpointRow> = {}) => {
    const delays = [10_000, 60_000, 300_000, 1_800_000, 3_600_000]
    const delayMs = delays[Number(failures) - 1] ?? 3_600_000
    const row = { ...SENDING, attempts: failures }
    return progressProblem(
      sent(500, row),
      { ...row, state: 'waiting', due_at_ms: at(delayMs) },
      becomes({ failures, retry_at_ms: at(retryMs), ...extra }, { failures: failures - 1n }),
    )
  }
  assert.deepEqual(rulesOf(after(1n, 10_000), after(1n, 11_000), after(4n, 1_800_000), after(9n, 3_960_000)), [
    null,
    null,
    null,
    null,
  ])
  assert.deepEqual(rulesOf(after(1n, 60_000), after(5n, 1_800_000)), [rule, rule])
  assert.deepEqual(rulesOf(after(4n, 1_000, { is_probing: 1n }), after(3n, 1_000, { is_probing: 1n })), [null, rule])
  const passed = { ...SENDING, passed: 1n }
  const waiting = { ...passed, state: 'waiting', due_at_ms: at(10_000) } as const
  assert.equal(progressProblem(sent(500, passed), waiting, becomes({})), null)
  const held = progressProblem(sent(500, passed), waiting, becomes({ retry_at_ms: at(10_000), failures: 1n }))
  assert.equal(held?.[0], 'an event that later ones have passed holds up none')
})

test('claims that are early, of an endpoint that is not active, or after a success are found', () => {
  const waiting: EndpointDeliveryRow = { ...SENDING, state: 'waiting', attempts: 0n, due_at_ms: at(0) }
  const claim = (delivery: KnownEndpointDelivery, change: EndpointChange) =>
    progressProblem(delivery, { ...SENDING, attempts: delivery.row.attempts + 1n }, change)
  assert.equal(claim({ row: waiting, claims: [] }, becomes({})), null)
  const tried = { ...waiting, attempts: 1n }
  assert.deepEqual(
    rulesOf(
      claim({ row: { ...waiting, due_at_ms: at(1) }, claims: [] }, becomes({})),
      claim({ row: tried, claims: [] }, becomes({}, { retry_at_ms: at(5_000) })),
      claim({ row: waiting, claims: [] }, becomes({}, { paused_at: 1n })),
      claim(sent(200, tried), becomes({})),
      progressProblem({ row: waiting, claims: [] }, { ...SENDING, attempts: 2n }, becomes({})),
    ),
    [
      'an attempt is made when it is due',
      'an attempt is made when it is due',
      'nothing is sent to an endpoint that is not active',
      'nothing is sent again after a success',
      'attempts are counted one by one',
    ],
  )
  // Then the commit with the success may have come too late for the database.
  assert.equal(claim(sent(200, tried), { ...becomes({}), suspendedAtMs: NOW_MS + 1 }), null)
})

test('an end without its cause is found', () => {
  const ended = (state: EndpointDeliveryRow['state']) => ({ ...SENDING, state, due_at_ms: null })
  assert.equal(progressProblem(sent(200), ended('delivered'), becomes({})), null)
  assert.equal(progressProblem(sent(500), ended('canceled'), { ...becomes({}), isReplaced: true }), null)
  assert.equal(progressProblem(sent(500), ended('failed'), becomes({ paused_at: 1n })), null)
  assert.deepEqual(
    rulesOf(
      progressProblem(sent(500), ended('delivered'), becomes({})),
      progressProblem(sent(500), ended('canceled'), becomes({})),
      progressProblem({ row: SENDING, claims: [] }, ended('failed'), becomes({})),
      progressProblem({ ...sent(200), row: ended('delivered') }, SENDING, becomes({})),
    ),
    [
      'only a complete 2xx in time delivers',
      'only the end of its endpoint cancels a delivery',
      'only a failed attempt ends a delivery without a success',
      'the end of a delivery is final',
    ],
  )
  const paused = (failingSince: number) =>
    pauseProblem(ENDPOINT, { ...ENDPOINT, paused_at: BigInt(NOW_SECS), failing_since: BigInt(failingSince) })
  assert.equal(paused(NOW_SECS - 3 * DAY_SECS), null)
  assert.match(paused(NOW_SECS - 2 * DAY_SECS)?.[0] ?? '', /^only three days/)
})

test('a persistent endpoint is sent another event only in turns with one that has failed four times', () => {
  const earlier = (attempts: bigint, passed = 0n) => [{ ...SENDING, state: 'waiting', attempts, passed } as const]
  assert.equal(orderProblem(ENDPOINT, earlier(4n), 2n), null)
  assert.equal(orderProblem(ENDPOINT, earlier(1n, 1n), 2n), null)
  assert.equal(orderProblem({ ...ENDPOINT, schedule: 'standard' }, earlier(1n), 2n), null)
  assert.match(orderProblem(ENDPOINT, earlier(3n), 2n)?.[0] ?? '', /^a persistent endpoint is sent nothing else/)
})

test('a request has the bytes of its event, and the signatures of the secrets of that moment', () => {
  const event = eventRow(7n, 'invoice.paid', { type: 'invoice.paid' })
  const body = `{"type":"invoice.paid","event_id":"event-7","seq":7}`
  const sign = (secret: string) =>
    `v1,${createHmac('sha256', secret).update(`event-7.${NOW_SECS}.${body}`).digest('base64')}`
  const request = (signature: string): WebhookRequest => ({
    process: PROCESS,
    url: URL,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'test',
      'webhook-id': 'event-7',
      'webhook-timestamp': String(NOW_SECS),
      'webhook-signature': signature,
      'x-service-signature': createHmac('sha256', SECRET).update(body).digest('hex'),
    },
    body,
    clockMs: NOW_MS,
    deadlineMs: 5_000,
    outcome: null,
  })
  const claim = (secrets: readonly [string, ...string[]], earlierUntilMs = 0): EndpointClaim => ({
    process: PROCESS,
    attempt: 1,
    accountId: 1n,
    seq: 7n,
    targets: [{ url: URL, secrets, earlierUntilMs }],
    request: null,
  })
  const rule = 'an endpoint is signed with its secret, and for a day with the earlier one'
  const both = `${sign(SECRET)} ${sign('the earlier one')}`
  assert.deepEqual(
    rulesOf(
      requestProblem(claim([SECRET]), event, request(sign(SECRET))),
      requestProblem(claim([SECRET, 'the earlier one'], NOW_MS + 1), event, request(both)),
      requestProblem(claim([SECRET, 'the earlier one'], NOW_MS - 10_000), event, request(sign(SECRET))),
      requestProblem(claim([SECRET, 'the earlier one'], NOW_MS + 1), event, request(sign(SECRET)), true),
      requestProblem(claim([SECRET, 'the earlier one'], NOW_MS + 1), event, request(sign('the earlier one')), true),
      requestProblem(claim([SECRET, 'the earlier one'], NOW_MS + 1), event, request(sign(SECRET))),
      requestProblem(claim([SECRET, 'the earlier one'], NOW_MS - 10_000), event, request(both)),
      requestProblem(claim(['another secret of it']), event, request(sign(SECRET))),
      requestProblem(claim([SECRET]), event, { ...request(sign(SECRET)), deadlineMs: 9 }),
      requestProblem(claim([SECRET]), { ...event, body: '{}' }, request(sign(SECRET))),
    ),
    [
      null,
      null,
      null,
      null,
      rule,
      rule,
      rule,
      rule,
      'a receiver has 5 seconds',
      'an endpoint gets the bytes of its event, with its id and number',
    ],
  )
})
