import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MAX_OPEN_OF_ENDPOINT } from '../../../src/domain/notify/endpoint.ts'
import type { EventType } from '../../../src/domain/notify/event.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { startEndpoints } from '../../harness/endpoints.ts'

const PAGE = { limit: 50 }
const HOUR = 3_600
const DAY = 24 * HOUR

async function start(engine: DatabaseEngine, t: TestContext) {
  const started = await startEndpoints(t, engine)
  const { account, clock, endpoints, receivers, run, services, store } = started
  return {
    ...started,
    webhooks: services.webhooks,
    /** Appends events as a use case does: they are delivered to the webhook too. */
    async raise(count = 1, type: EventType = 'plan.updated') {
      const event = {
        accountId: account.id,
        invoiceId: null,
        type,
        body: JSON.stringify({ type }),
        createdAt: clock.secs,
      }
      await store.write(tx => services.outbox.append(tx, Array(count).fill(event)))
    },
    /** The numbers of the events in the requests since the last call. */
    numbers: () => receivers.requests.splice(0).map(({ body }) => JSON.parse(String(body)).seq),
    /** Attempts are at most an hour and its jitter apart. */
    async failUntilPaused(id: string) {
      await run(3 * DAY + 2 * HOUR)
      assert.notEqual((await endpoints.read(account, id)).pausedAt, null)
    },
  }
}

onBothDatabases(engine => {
  test('a paused endpoint that is resumed gets all that it has missed, the event that it failed at first', async t => {
    const { endpoints, account, raise, receivers, failUntilPaused, sendDue, numbers, clock } = await start(engine, t)
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    const { publicId } = (await endpoints.create(account, request)).endpoint
    await raise()
    await sendDue()
    assert.deepEqual(numbers(), [1])
    receivers.status = 500
    await raise()
    // The attempt begins later than its event, so that the failures do too.
    clock.advance(7)
    await sendDue()
    await raise(2)
    await failUntilPaused(publicId)
    await raise()
    numbers()
    receivers.status = 200
    await endpoints.resume(account, publicId, { recover: true })
    assert.equal((await endpoints.read(account, publicId)).failingSince, null)
    await sendDue()
    assert.deepEqual(numbers(), [2, 3, 4, 5])
    await raise()
    await sendDue()
    assert.deepEqual(numbers(), [6])
    assert.equal(await endpoints.countFailed(await endpoints.read(account, publicId)), 0)
  })

  test('one whose URL was changed while it was paused gets all that it has missed too', async t => {
    const { endpoints, account, raise, receivers, failUntilPaused, sendDue, numbers } = await start(engine, t)
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    const { publicId } = (await endpoints.create(account, request)).endpoint
    receivers.status = 500
    await raise(3)
    await failUntilPaused(publicId)
    await endpoints.change(account, publicId, { url: 'https://b.example/' })
    receivers.status = 200
    numbers()
    await endpoints.resume(account, publicId, { recover: true })
    await sendDue()
    assert.deepEqual(numbers(), [1, 2, 3])
  })

  test('without recovery it gets the events from then on, and an active one is not changed', async t => {
    const { endpoints, account, raise, receivers, failUntilPaused, sendDue, numbers } = await start(engine, t)
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    const { publicId } = (await endpoints.create(account, request)).endpoint
    receivers.status = 500
    await raise(2)
    await failUntilPaused(publicId)
    receivers.status = 200
    numbers()
    await endpoints.resume(account, publicId, { recover: false })
    await raise()
    await sendDue()
    assert.deepEqual(numbers(), [3])
    await endpoints.resume(account, publicId, { recover: true })
    await sendDue()
    assert.deepEqual(numbers(), [])
  })

  test('one that was disabled while it failed gets what it has missed since then, also what waited', async t => {
    const { endpoints, account, raise, receivers, sendDue, numbers } = await start(engine, t)
    const { publicId } = (await endpoints.create(account, { url: 'https://a.example/' })).endpoint
    await raise()
    await sendDue()
    receivers.status = 500
    await raise()
    await sendDue()
    await endpoints.change(account, publicId, { enabled: false })
    await raise()
    await sendDue()
    receivers.status = 200
    numbers()
    await endpoints.resume(account, publicId, { recover: true })
    await sendDue()
    assert.deepEqual(numbers(), [2, 3])
  })

  test('a recovery leaves out an event that was received, though sending it again has failed', async t => {
    const { endpoints, webhooks, account, raise, receivers, failUntilPaused, sendDue, numbers } = await start(engine, t)
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    const { publicId } = (await endpoints.create(account, request)).endpoint
    await raise()
    await sendDue()
    const [delivery] = await webhooks.deliveries(account, PAGE, { endpoint: publicId })
    receivers.status = 500
    await webhooks.resend(account, delivery!.publicId)
    await raise()
    await failUntilPaused(publicId)
    receivers.status = 200
    numbers()
    await endpoints.resume(account, publicId, { recover: true })
    await sendDue()
    assert.deepEqual(numbers(), [2])
  })

  test('a delivery to an endpoint is sent to it again, with the same id and body, and not to the webhook', async t => {
    const { endpoints, webhooks, account, raise, sendDue, receivers, store } = await start(engine, t)
    await webhooks.set(account, 'https://hook.example/')
    const { publicId } = (await endpoints.create(account, { url: 'https://a.example/' })).endpoint
    await raise()
    await sendDue()
    const [delivery] = await webhooks.deliveries(account, PAGE, { endpoint: publicId })
    const id = await webhooks.resend(account, delivery!.publicId)
    await sendDue()
    const sent = receivers.requests.map(({ url, body, headers }) => [url, String(body), headers['webhook-id']])
    assert.equal(sent.length, 2)
    assert.deepEqual(sent[1], sent[0])
    const [again] = await webhooks.deliveries(account, PAGE, { endpoint: publicId })
    assert.deepEqual([again?.publicId, again?.state], [id, 'delivered'])
    const detail = await webhooks.attempt(account, again!.lastAttempts[0]!.publicId)
    assert.equal(detail.requestBody, sent[1]?.[1])
    assert.equal(await store.read(tx => tx.deliveries.countOpenOf(account.id, 9)), 1)

    await endpoints.change(account, publicId, { enabled: false })
    await assert.rejects(webhooks.resend(account, id), { code: 'endpoint_disabled' })
    await endpoints.remove(account, publicId)
    await assert.rejects(webhooks.resend(account, id), { code: 'no_such_endpoint' })
  })

  test('tests and resends are refused while too many deliveries to the endpoint wait', async t => {
    const { endpoints, webhooks, account, sendDue, raise } = await start(engine, t)
    const { publicId } = (await endpoints.create(account, { url: 'https://a.example/' })).endpoint
    await raise()
    await sendDue()
    const [delivery] = await webhooks.deliveries(account, PAGE)
    for (let open = 0; open < MAX_OPEN_OF_ENDPOINT; open++) await endpoints.test(account, publicId)
    await assert.rejects(endpoints.test(account, publicId), { code: 'too_many_deliveries' })
    await assert.rejects(webhooks.resend(account, delivery!.publicId), { code: 'too_many_deliveries' })
  })

  test('the log is filtered by failure, type and endpoint, and has the last attempts of each delivery', async t => {
    const { endpoints, webhooks, account, raise, sendDue, receivers, clock } = await start(engine, t)
    await webhooks.set(account, 'https://hook.example/')
    const [a, b] = [
      (await endpoints.create(account, { url: 'https://a.example/' })).endpoint.publicId,
      (await endpoints.create(account, { url: 'https://b.example/', types: ['refund.updated'] })).endpoint.publicId,
    ]
    await raise()
    await sendDue()
    receivers.status = 503
    await raise(1, 'refund.updated')
    for (const secs of [0, 11, 61, 301]) {
      clock.advance(secs)
      await sendDue()
    }
    const list = async (filter: Parameters<typeof webhooks.deliveries>[2]) =>
      (await webhooks.deliveries(account, PAGE, filter)).map(({ eventType, endpoint, state, lastAttempts }) => {
        const host = endpoint ? new URL(endpoint.url).host : 'webhook'
        return `${host} ${eventType} ${state} ${lastAttempts.map(({ attempt }) => attempt).join('')}`
      })
    const ofWebhook = 'webhook plan.updated waiting '
    const failed = ['b.example refund.updated failed 4321', 'a.example refund.updated failed 4321']
    assert.deepEqual((await list({})).sort(), [...failed, 'a.example plan.updated delivered 1', ofWebhook].sort())
    assert.deepEqual((await list({ failed: true })).sort(), failed.toSorted())
    assert.deepEqual(await list({ failed: true, endpoint: b }), [failed[0]])
    assert.deepEqual(await list({ endpoint: 'webhook' }), [ofWebhook])
    assert.deepEqual((await list({ endpoint: a })).sort(), ['a.example plan.updated delivered 1', failed[1]])
    assert.deepEqual(await list({ endpoint: a, type: 'plan.updated' }), ['a.example plan.updated delivered 1'])
    assert.deepEqual(await list({ type: 'test' }), [])
    assert.deepEqual(await list({ orderId: 'none' }), [])
    await assert.rejects(list({ endpoint: 'none' }), { code: 'no_such_endpoint' })
    const [newest, ...older] = await webhooks.deliveries(account, PAGE)
    const before = { limit: 9, before: newest!.publicId }
    assert.deepEqual(
      (await webhooks.deliveries(account, before)).map(({ publicId }) => publicId),
      older.map(({ publicId }) => publicId),
    )
    await assert.rejects(webhooks.deliveries(account, { ...before, before: 'x' }), { code: 'invalid_before' })
    assert.equal(await webhooks.countFailed(account), 0)
  })

  test('of a persistent endpoint that fails, the oldest event has a time, and the others wait for it', async t => {
    const { endpoints, webhooks, account, raise, sendDue, receivers, clock } = await start(engine, t)
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    await endpoints.create(account, request)
    receivers.status = 500
    await raise()
    await raise()
    for (const secs of [0, 12, 70, 340, 2]) {
      clock.advance(secs)
      await sendDue()
    }
    const [second, first] = await webhooks.deliveries(account, PAGE)
    assert.deepEqual([first?.state, second?.state, second?.dueAtMs], ['waiting', 'waiting', null])
    assert.ok(first?.dueAtMs && first.dueAtMs > clock.nowMs(), String(first?.dueAtMs))
  })
})
