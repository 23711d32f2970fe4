import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createVault } from '@zatgate/server/adapters/crypto/vault'
import { WebhookJudge } from '../../src/parts/webhook/judge.ts'
import type { AttemptRow, DeliveryRow, KnownDelivery } from '../../src/parts/webhook/ledger.ts'
import { type Change, logProblem, progressProblem } from '../../src/parts/webhook/progress.ts'
import { requestProblem } from '../../src/parts/webhook/request.ts'
import { Draw } from '../../src/runtime/draw.ts'
import { Scheduler } from '../../src/runtime/scheduler.ts'
import { ENCRYPTION_KEY, type ServiceProcess } from '../../src/service/process.ts'
import { connectReceivers, type ReceiverMode, Receivers, type WebhookRequest } from '../../src/world/receivers.ts'
import { createFakeWorld, eventRow, NOW_SECS } from './fake-world.ts'

const NOW_MS = NOW_SECS * 1000
const KEY = Buffer.alloc(32, 7)
const SECRET = `whsec_${KEY.toString('base64')}`
const TARGET = { url: 'https://receiver-1.example.org/webhook', secret: SECRET }
const PROCESS = { name: 'process 1', alive: true, clock: { nowMs: () => NOW_MS } } as unknown as ServiceProcess
const WAITING: DeliveryRow = {
  id: 1n,
  public_id: '6f0e35a2',
  account_id: 1n,
  invoice_id: 3n,
  event_type: 'invoice.paid',
  event_seq: 1n,
  body: '{"type":"invoice.paid"}',
  state: 'waiting',
  attempts: 0n,
  due_at_ms: BigInt(NOW_MS),
  created_at: BigInt(NOW_SECS),
}
const SENDING: DeliveryRow = { ...WAITING, state: 'sending', attempts: 1n, due_at_ms: BigInt(NOW_MS + 15_000) }
const LOGGED: AttemptRow = {
  delivery_id: 1n,
  attempt: 1n,
  url: TARGET.url,
  status_code: null,
  error: null,
  duration_ms: null,
}

function change(log: readonly AttemptRow[] = [LOGGED]): Change {
  return { committer: PROCESS, targets: [TARGET, TARGET], clockRangeMs: 0, idles: 9, log: () => log }
}

/** A request with the headers that the contract asks for. */
function signed({ body, public_id: id }: DeliveryRow): WebhookRequest {
  const timestamp = String(NOW_SECS)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'test',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
    'x-service-signature': createHmac('sha256', SECRET).update(body).digest('hex'),
  }
  return { process: PROCESS, url: TARGET.url, headers, body, clockMs: NOW_MS, deadlineMs: 5_000, outcome: null }
}

/** A delivery whose first attempt is claimed, and was sent with this result. */
function claimed(status: number | null = null): KnownDelivery {
  const request = signed(WAITING)
  const succeeded = status === 200
  request.outcome = status === null ? null : { status, succeeded, atMs: NOW_MS, clockMs: NOW_MS, idles: 1 }
  const claim = { process: PROCESS, attempt: 1, targets: [TARGET], request: status === null ? null : request }
  return { row: SENDING, claims: [claim], forgotten: [] }
}

test('a request signed as the contract says is accepted once', () => {
  const delivery = claimed()
  assert.equal(requestProblem(delivery, signed(WAITING)), null)
  assert.deepEqual(requestProblem(delivery, signed(WAITING)), ['an attempt is counted before it is sent'])
})

test('another body, URL, time, secret or signature is found', () => {
  const request = signed(WAITING)
  const wrong: WebhookRequest[] = [
    { ...request, body: '{}' },
    { ...request, url: 'https://receiver-2.example.org/webhook' },
    { ...request, clockMs: NOW_MS + 1_000 },
    { ...request, deadlineMs: 50_000 },
    { ...request, headers: { ...request.headers, 'x-service-signature': '' } },
    { ...request, headers: { ...request.headers, 'webhook-signature': request.headers['x-service-signature']! } },
  ]
  for (const each of wrong) assert.notEqual(requestProblem(claimed(), each), null)
  const rotated = claimed()
  rotated.claims[0]!.targets[0] = { ...TARGET, secret: `whsec_${Buffer.alloc(32, 8).toString('base64')}` }
  assert.equal(requestProblem(rotated, request)?.[0], 'a webhook is signed with the secret of that moment')
})

test('a due delivery is claimed, fails and is repeated after 10 s', () => {
  assert.equal(progressProblem({ row: WAITING, claims: [], forgotten: [] }, SENDING, change()), null)
  const retry: DeliveryRow = { ...SENDING, state: 'waiting', due_at_ms: BigInt(NOW_MS + 10_000) }
  assert.equal(progressProblem(claimed(500), retry, change()), null)
})

test('attempts too early, too many, unlogged or after a success are found', () => {
  const early = { row: { ...WAITING, due_at_ms: BigInt(NOW_MS + 1) }, claims: [], forgotten: [] }
  assert.equal(progressProblem(early, SENDING, change())?.[0], 'an attempt is made when it is due')
  const last = { row: { ...WAITING, attempts: 4n }, claims: [], forgotten: [] }
  assert.equal(progressProblem(last, { ...SENDING, attempts: 5n }, change())?.[0], 'a delivery has 4 attempts')
  assert.equal(
    progressProblem({ row: WAITING, claims: [], forgotten: [] }, SENDING, change([]))?.[0],
    'each attempt is logged',
  )
  const again = progressProblem(claimed(200), { ...SENDING, attempts: 2n }, change())
  assert.equal(again?.[0], 'nothing is sent again after a success')
  const hasty: DeliveryRow = { ...SENDING, state: 'waiting', due_at_ms: BigInt(NOW_MS + 9_999) }
  assert.match(progressProblem(claimed(500), hasty, change())?.[0] ?? '', /^attempts follow 10, 60 and 300 s/)
})

test('a wrong end, and a log that tells something else, are found', () => {
  const ended = (state: DeliveryRow['state']): DeliveryRow => ({ ...SENDING, state, due_at_ms: null })
  assert.equal(progressProblem(claimed(200), ended('delivered'), change()), null)
  for (const status of [302, 500]) {
    const problem = progressProblem(claimed(status), ended('delivered'), change())
    assert.equal(problem?.[0], 'only a complete 2xx in time delivers')
  }
  assert.equal(progressProblem(claimed(500), ended('failed'), change())?.[0], 'a delivery fails after 4 attempts')
  assert.match(progressProblem(claimed(500), ended('canceled'), change())?.[0] ?? '', /^only the end of its webhook/)
  const delivery = claimed(500)
  assert.equal(logProblem(delivery, [{ ...LOGGED, status_code: 500n, error: 'answered 500', duration_ms: 3n }]), null)
  assert.equal(logProblem(delivery, [])?.[0], 'each attempt is logged')
  assert.notEqual(logProblem(delivery, [{ ...LOGGED, status_code: 200n, duration_ms: 3n }]), null)
})

test('a delivery without an event or a request is found', () => {
  const { world, broken, tables } = createFakeWorld()
  const judge = new WebhookJudge(world)
  judge.check()
  tables['FROM deliveries'] = [WAITING]
  tables['FROM events'] = [eventRow(1n, 'invoice.paid', {}, 4n)]
  judge.check()
  assert.ok(broken.includes('each event has one delivery'))
})

const VAULT = createVault([ENCRYPTION_KEY], { bytes: count => Buffer.alloc(count), uuid: () => '' })
const SEALED = VAULT.seal(Buffer.from(SECRET), { table: 'webhooks', column: 'secret', row: 1 })
const WEBHOOK = { account_id: 1n, url: TARGET.url, secret: SEALED }

test('an event needs a delivery when it is later than the setting of the webhook, however late its commit is', () => {
  const { world, broken, tables } = createFakeWorld()
  Object.assign(world.clockErrors, { maxMs: 500 })
  const judge = new WebhookJudge(world)
  judge.check()
  tables['FROM webhooks'] = [WEBHOOK]
  judge.check()
  world.scheduler.advance(300_000)
  tables['FROM events'] = [{ ...eventRow(1n, 'plan.updated', {}), created_at: BigInt(NOW_SECS) }]
  judge.check()
  assert.deepEqual(broken, [])
  tables['FROM events'] = [{ ...eventRow(2n, 'plan.updated', {}), created_at: BigInt(NOW_SECS + 1) }]
  judge.check()
  assert.deepEqual(broken, ['an event and its delivery are one commit'])
})

test('while the database works, an event needs a delivery once all processes were idle since the webhook was set', () => {
  for (const [storeHasFailed, rules] of [
    [false, ['an event and its delivery are one commit']],
    [true, []],
  ] as const) {
    const { world, broken, tables } = createFakeWorld()
    Object.assign(world, { storeHasFailed })
    Object.assign(world.clockErrors, { maxMs: 86_400_000 })
    const judge = new WebhookJudge(world)
    judge.check()
    tables['FROM webhooks'] = [WEBHOOK]
    judge.check()
    world.scheduler.idles += 1
    tables['FROM events'] = [{ ...eventRow(1n, 'plan.updated', {}), created_at: BigInt(NOW_SECS) }]
    judge.check()
    assert.deepEqual(broken, rules)
  }
})

/**
 * The rules that a request breaks whose delivery was deleted with its event.
 * @param useCases of the commit that deleted it
 */
function sentAfterDeletion(useCases: number): readonly string[] {
  const { world, broken, tables } = createFakeWorld()
  Object.assign(world, { committer: PROCESS, useCases })
  tables['FROM webhooks'] = [WEBHOOK]
  tables['FROM deliveries'] = [WAITING]
  const judge = new WebhookJudge(world)
  judge.check()
  tables['FROM deliveries'] = []
  tables['FROM event_counters'] = [{ pruned_seq: WAITING.event_seq }]
  judge.check()
  judge.received(signed(WAITING))
  judge.received(signed(WAITING))
  return broken
}

test('one commit may claim a delivery and delete it with its event: it is then sent once', () => {
  const unclaimed = 'an attempt is counted before it is sent'
  assert.deepEqual(sentAfterDeletion(2), [unclaimed])
  assert.deepEqual(sentAfterDeletion(1), [unclaimed, unclaimed])
})

/** Sends one request to a receiver in this mode. */
async function respond(mode: ReceiverMode) {
  const scheduler = new Scheduler(1, NOW_MS)
  const receivers = new Receivers(scheduler, new Draw(1), 1)
  const seen: WebhookRequest[] = []
  receivers.onRequest = request => seen.push(request)
  receivers.setMode(receivers.all[0]!, mode)
  const process = { clock: { nowMs: () => scheduler.nowMs } } as ServiceProcess
  const { url } = receivers.all[0]!
  const sent = connectReceivers([receivers], process)
    .send({ method: 'POST', url, headers: {}, body: '{}', deadlineMs: 5_000, maxBytes: 1_000 })
    .then(
      ({ status }) => status,
      error => error.failure,
    )
  await scheduler.run()
  scheduler.advance(5_000)
  await scheduler.run()
  return { result: await sent, outcome: seen[0]?.outcome }
}

test('receivers respond, redirect, hang and refuse', async () => {
  const works = await respond('works')
  assert.equal(works.outcome?.succeeded, true)
  const redirects = await respond('redirects')
  assert.ok(redirects.result >= 300 && redirects.result < 400)
  assert.equal(redirects.outcome?.succeeded, false)
  const hangs = await respond('hangs')
  assert.equal(hangs.result, 'timeout')
  assert.equal(hangs.outcome?.clockMs, NOW_MS + 5_000)
  const refuses = await respond('refuses')
  assert.equal(refuses.outcome?.status, null)
})
