import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { MAX_OPEN_OF_ENDPOINT } from '../../../src/domain/notify/endpoint.ts'
import type { EventType } from '../../../src/domain/notify/event.ts'
import type { HttpClient } from '../../../src/ports/http-client.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { DUE } from '../../harness/endpoints.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const PAGE = { limit: 50 }

/** A service with a merchant, whose server and whose deliveries to endpoints the test drives. */
async function createHarness(engine: DatabaseEngine, t: TestContext) {
  const store = await openEmptyStore(engine, t)
  const clock = new ManualClock()
  const received: { url: string; body: string; id: string }[] = []
  let status = 200
  const webhookHttp: HttpClient = {
    async send({ url, body, headers }) {
      received.push({ url, body: String(body), id: headers?.['webhook-id'] ?? '' })
      return { status, headers: { server: 'test' }, body: Buffer.from('ok') }
    },
    close: () => {},
  }
  const { services } = await openTestContainer(t, { store, clock, webhookHttp })
  const { accounts, endpoints, endpointDeliveries, outbox } = services
  const account = await accounts.findOrCreate('shop@example.org')

  /** Delivers what is due now. */
  async function deliver(): Promise<void> {
    for (let round = 0; round < 200; round++) {
      await endpointDeliveries.wake()
      const due = await endpointDeliveries.listDue(DUE)
      if (due.length === 0) return
      for (const job of await endpointDeliveries.claim(due))
        await endpointDeliveries.record(job, await endpointDeliveries.attempt(job))
    }
    assert.fail('the deliveries do not come to an end')
  }

  return {
    ...services,
    store,
    clock,
    account,
    received,
    deliver,
    respondWith: (next: number) => {
      status = next
    },
    /** The members `n` of the bodies, in the order of the requests. */
    numbers: () => received.splice(0).map(({ body }) => JSON.parse(body).n),
    async raise(type: EventType, ...numbers: readonly number[]) {
      const event = { accountId: account.id, invoiceId: null, type, createdAt: clock.secs }
      await store.write(tx =>
        outbox.append(
          tx,
          numbers.map(n => ({ ...event, body: `{"n":${n}}` })),
        ),
      )
    },
    /** Lets the time pass until the endpoint is paused. */
    async failUntilPaused(id: string) {
      for (let attempts = 0; attempts < 300; attempts++) {
        await deliver()
        if ((await endpoints.read(account, id)).pausedAt !== null) return
        clock.advance(Math.max(1, Math.ceil(((await endpointDeliveries.nextDueAtMs()) ?? 0) / 1000) - clock.secs))
      }
      assert.fail('the endpoint is not paused')
    },
  }
}

onBothDatabases(engine => {
  test('a paused endpoint that is resumed gets all that it has missed, the event that it failed at first', async t => {
    const { endpoints, account, raise, respondWith, failUntilPaused, deliver, numbers, clock } = await createHarness(
      engine,
      t,
    )
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    const { publicId } = (await endpoints.create(account, request)).endpoint
    await raise('plan.updated', 1)
    await deliver()
    assert.deepEqual(numbers(), [1])
    respondWith(500)
    await raise('plan.updated', 2)
    // The attempt begins later than its event, so that the failures do too.
    clock.advance(7)
    await deliver()
    await raise('plan.updated', 3, 4)
    await failUntilPaused(publicId)
    await raise('plan.updated', 5)
    numbers()
    respondWith(200)
    await endpoints.resume(account, publicId, { recover: true })
    assert.equal((await endpoints.read(account, publicId)).failingSince, null)
    await deliver()
    assert.deepEqual(numbers(), [2, 3, 4, 5])
    await raise('plan.updated', 6)
    await deliver()
    assert.deepEqual(numbers(), [6])
    assert.equal(await endpoints.countFailed(await endpoints.read(account, publicId)), 0)
  })

  test('one whose URL was changed while it was paused gets all that it has missed too', async t => {
    const { endpoints, account, raise, respondWith, failUntilPaused, deliver, numbers } = await createHarness(engine, t)
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    const { publicId } = (await endpoints.create(account, request)).endpoint
    respondWith(500)
    await raise('plan.updated', 1, 2, 3)
    await failUntilPaused(publicId)
    await endpoints.change(account, publicId, { url: 'https://b.example/' })
    respondWith(200)
    numbers()
    await endpoints.resume(account, publicId, { recover: true })
    await deliver()
    assert.deepEqual(numbers(), [1, 2, 3])
  })

  test('without recovery it gets the events from then on, and an active one is not changed', async t => {
    const { endpoints, account, raise, respondWith, failUntilPaused, deliver, numbers } = await createHarness(engine, t)
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    const { publicId } = (await endpoints.create(account, request)).endpoint
    respondWith(500)
    await raise('plan.updated', 1, 2)
    await failUntilPaused(publicId)
    respondWith(200)
    numbers()
    await endpoints.resume(account, publicId, { recover: false })
    await raise('plan.updated', 3)
    await deliver()
    assert.deepEqual(numbers(), [3])
    await endpoints.resume(account, publicId, { recover: true })
    await deliver()
    assert.deepEqual(numbers(), [])
  })

  test('one that was disabled while it failed gets what it has missed since then, also what waited', async t => {
    const { endpoints, account, raise, respondWith, deliver, numbers } = await createHarness(engine, t)
    const { publicId } = (await endpoints.create(account, { url: 'https://a.example/' })).endpoint
    await raise('plan.updated', 1)
    await deliver()
    respondWith(500)
    await raise('plan.updated', 2)
    await deliver()
    await endpoints.change(account, publicId, { enabled: false })
    await raise('plan.updated', 3)
    await deliver()
    respondWith(200)
    numbers()
    await endpoints.resume(account, publicId, { recover: true })
    await deliver()
    assert.deepEqual(numbers(), [2, 3])
  })

  test('a recovery leaves out an event that was received, though sending it again has failed', async t => {
    const { endpoints, webhooks, account, raise, respondWith, failUntilPaused, deliver, numbers } = await createHarness(
      engine,
      t,
    )
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    const { publicId } = (await endpoints.create(account, request)).endpoint
    await raise('plan.updated', 1)
    await deliver()
    const [delivery] = await webhooks.deliveries(account, PAGE, { endpoint: publicId })
    respondWith(500)
    await webhooks.resend(account, delivery!.publicId)
    await raise('plan.updated', 2)
    await failUntilPaused(publicId)
    respondWith(200)
    numbers()
    await endpoints.resume(account, publicId, { recover: true })
    await deliver()
    assert.deepEqual(numbers(), [2])
  })

  test('a delivery to an endpoint is sent to it again, with the same id and body, and not to the webhook', async t => {
    const { endpoints, webhooks, account, raise, deliver, received, store } = await createHarness(engine, t)
    await webhooks.set(account, 'https://hook.example/')
    const { publicId } = (await endpoints.create(account, { url: 'https://a.example/' })).endpoint
    await raise('plan.updated', 1)
    await deliver()
    const [delivery] = await webhooks.deliveries(account, PAGE, { endpoint: publicId })
    const id = await webhooks.resend(account, delivery!.publicId)
    await deliver()
    assert.equal(received.length, 2)
    assert.deepEqual(received[1], received[0])
    const [again] = await webhooks.deliveries(account, PAGE, { endpoint: publicId })
    assert.deepEqual([again?.publicId, again?.state], [id, 'delivered'])
    const detail = await webhooks.attempt(account, again!.lastAttempts[0]!.publicId)
    assert.equal(detail.requestBody, received[1]?.body)
    assert.equal(await store.read(tx => tx.deliveries.countOpenOf(account.id, 9)), 1)

    await endpoints.change(account, publicId, { enabled: false })
    await assert.rejects(webhooks.resend(account, id), { code: 'endpoint_disabled' })
    await endpoints.remove(account, publicId)
    await assert.rejects(webhooks.resend(account, id), { code: 'no_such_endpoint' })
  })

  test('tests and resends are refused while too many deliveries to the endpoint wait', async t => {
    const { endpoints, webhooks, account, deliver, raise } = await createHarness(engine, t)
    const { publicId } = (await endpoints.create(account, { url: 'https://a.example/' })).endpoint
    await raise('plan.updated', 1)
    await deliver()
    const [delivery] = await webhooks.deliveries(account, PAGE)
    for (let open = 0; open < MAX_OPEN_OF_ENDPOINT; open++) await endpoints.test(account, publicId)
    await assert.rejects(endpoints.test(account, publicId), { code: 'too_many_deliveries' })
    await assert.rejects(webhooks.resend(account, delivery!.publicId), { code: 'too_many_deliveries' })
  })

  test('the log is filtered by failure, type and endpoint, and has the last attempts of each delivery', async t => {
    const { endpoints, webhooks, account, raise, deliver, respondWith, clock } = await createHarness(engine, t)
    await webhooks.set(account, 'https://hook.example/')
    const [a, b] = [
      (await endpoints.create(account, { url: 'https://a.example/' })).endpoint.publicId,
      (await endpoints.create(account, { url: 'https://b.example/', types: ['refund.updated'] })).endpoint.publicId,
    ]
    await raise('plan.updated', 1)
    await deliver()
    respondWith(503)
    await raise('refund.updated', 2)
    for (const secs of [0, 11, 61, 301]) {
      clock.advance(secs)
      await deliver()
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
    const { endpoints, webhooks, account, raise, deliver, respondWith, clock } = await createHarness(engine, t)
    const request = { url: 'https://a.example/', schedule: 'persistent' } as const
    await endpoints.create(account, request)
    respondWith(500)
    await raise('plan.updated', 1)
    await raise('plan.updated', 2)
    for (const secs of [0, 12, 70, 340, 2]) {
      clock.advance(secs)
      await deliver()
    }
    const [second, first] = await webhooks.deliveries(account, PAGE)
    assert.deepEqual([first?.state, second?.state, second?.dueAtMs], ['waiting', 'waiting', null])
    assert.ok(first?.dueAtMs && first.dueAtMs > clock.nowMs(), String(first?.dueAtMs))
  })
})
