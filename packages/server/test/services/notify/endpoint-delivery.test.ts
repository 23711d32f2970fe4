import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { MAX_OPEN_OF_ENDPOINT, MAX_RECOVERY_SECS } from '../../../src/domain/notify/endpoint.ts'
import { openStore } from '../../../src/store/open.ts'
import { onBothDatabases, onPostgres } from '../../harness/databases.ts'
import { DUE, startEndpoints as start } from '../../harness/endpoints.ts'
import { makeAccount } from '../../harness/fixtures.ts'
import { anyLockWait } from '../../harness/lock-wait.ts'
import { poisonRow } from '../../harness/poison.ts'
import { until } from '../../harness/until.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

const ascending = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

onBothDatabases(engine => {
  test('an endpoint gets the events from its creation on, one at a time and in order', async t => {
    const { create, raise, receivers, sendDue, claim } = await start(t, engine)
    await raise(2)
    await create('standard')
    await sendDue()
    assert.deepEqual(receivers.seqs, [])
    await raise(3)
    assert.equal((await claim()).length, 1)
    assert.equal((await claim()).length, 0, 'one attempt is under way')
    assert.deepEqual(receivers.seqs, [])
  })

  test('a body is that of the webhook with the id and number of the event, and types select the events', async t => {
    const { account, create, raise, receivers, sendDue, store } = await start(t, engine)
    await create('standard', ['invoice.paid'])
    await raise(1, 'invoice.created')
    await raise(1, 'invoice.paid')
    await raise(1, 'test')
    await sendDue()
    const [event] = await store.read(tx => tx.events.listAfter(account.id, 1, 1))
    const [request, ...more] = receivers.requests
    assert.deepEqual(more, [])
    const body = `{"type":"invoice.paid","invoice_id":null,"event_id":"${event?.publicId}","seq":2}`
    assert.equal(request?.body, body)
    assert.equal(request?.headers['webhook-id'], event?.publicId)
  })

  for (const schedule of ['persistent', 'standard'] as const)
    test(`a receiver that is down for a day and a half gets all events of a ${schedule} endpoint`, async t => {
      const h = await start(t, engine)
      const { account, clock, endpoints, raise, receivers, run } = h
      const { endpoint } = await h.create(schedule)
      await raise(3)
      await run(MINUTE)
      receivers.isDown = true
      const downAt = clock.secs
      let raised = 3
      await run(1.5 * DAY, 10 * MINUTE, async () => {
        if (raised < 60) await raise()
        if (raised < 60) raised += 1
      })
      assert.deepEqual(receivers.seqs, [1, 2, 3])
      receivers.isDown = false
      if (schedule === 'standard') {
        await run(HOUR)
        const first = await endpoints.recover(account, endpoint.publicId, downAt)
        assert.equal(first, 4)
      }
      await run(3 * HOUR)
      assert.deepEqual(receivers.seqs, ascending(1, 60))
      assert.equal(new Set(receivers.received.map(({ id }) => id)).size, 60)
      assert.equal(await endpoints.countFailed(endpoint), 0)
    })

  test('what waited when a success came by a clock that was ahead is sent in order once the clock is right', async t => {
    const { account, claim, clock, create, finish, raise, receivers, run, sendDue, store } = await start(t, engine)
    await create('persistent')
    await raise(4)
    receivers.isDown = true
    await run(6 * HOUR, 10 * MINUTE)
    receivers.isDown = false
    clock.advance(DAY)
    const [job] = await claim()
    assert.ok(job)
    await finish(job)
    const listed = await store.read(tx => tx.deliveries.list(account.id, { limit: 10 }))
    const waiting = listed.filter(({ state }) => state === 'waiting')
    assert.ok(waiting.length > 0)
    assert.deepEqual(
      waiting.map(({ dueAtMs }) => dueAtMs),
      waiting.map(({ createdAt }) => createdAt * 1000),
      'they are listed as due since their creation',
    )
    clock.advance(-DAY)
    await raise(1)
    await sendDue()
    assert.deepEqual(receivers.seqs, [1, 2, 3, 4, 5])
  })

  test('one event that the receiver refuses holds up the others for minutes only, and is tried for three days', async t => {
    const { create, endpoints, account, raise, receivers, run } = await start(t, engine)
    const { endpoint } = await create('persistent')
    receivers.refused.add(2)
    await raise(6)
    await run(10 * MINUTE)
    assert.deepEqual(receivers.seqs, [1, 3, 4, 5, 6])
    await raise(2)
    await run(MINUTE)
    assert.deepEqual(receivers.seqs.slice(-2), [7, 8])
    await run(3 * DAY + 2 * HOUR)
    assert.equal(await endpoints.countFailed(endpoint), 1)
    assert.equal((await endpoints.read(account, endpoint.publicId)).pausedAt, null)
    const tries = receivers.requests.filter(({ body }) => JSON.parse(String(body)).seq === 2).length
    assert.ok(tries > 60 && tries < 100, `${tries} attempts`)
  })

  test('after three days of failures a persistent endpoint is paused with one mail, and resumed it can recover', async t => {
    const { account, clock, create, endpoints, raise, receivers, run, store } = await start(t, engine)
    const { endpoint } = await create('persistent')
    receivers.isDown = true
    const downAt = clock.secs
    await raise(3)
    await run(3 * DAY + 2 * HOUR)
    const paused = await endpoints.read(account, endpoint.publicId)
    assert.ok(paused.pausedAt !== null && paused.pausedAt >= downAt + 3 * DAY)
    const mails = await store.write(tx => tx.mails.claimNotices(clock.secs, 50, () => clock.secs + 60))
    assert.equal(mails.filter(({ about }) => about === 'endpoint_paused').length, 1)
    const attempts = receivers.requests.length
    await raise(2)
    await run(DAY)
    assert.equal(receivers.requests.length, attempts, 'nothing is sent while it is paused')
    receivers.isDown = false
    await endpoints.change(account, endpoint.publicId, { enabled: true })
    await raise()
    await run(MINUTE)
    assert.deepEqual(receivers.seqs, [6])
    await endpoints.recover(account, endpoint.publicId, downAt)
    await run(MINUTE)
    assert.deepEqual(receivers.seqs, [6, 1, 2, 3, 4, 5])
    assert.equal(await endpoints.countFailed(endpoint), 0)
  })

  test('recover sends nothing twice, and goes back at most thirty days', async t => {
    const { account, clock, create, endpoints, raise, receivers, run } = await start(t, engine)
    const { endpoint } = await create('standard')
    await raise(5)
    await run(MINUTE)
    await endpoints.recover(account, endpoint.publicId, clock.secs - HOUR)
    await run(MINUTE)
    assert.deepEqual(receivers.seqs, ascending(1, 5))
    const early = clock.secs - MAX_RECOVERY_SECS - 1
    await assert.rejects(endpoints.recover(account, endpoint.publicId, early), { code: 'invalid_since' })
  })

  test('recover since the failures began includes the event that failed first, which is older', async t => {
    const { account, clock, create, endpoints, raise, receivers, run } = await start(t, engine)
    const { endpoint } = await create('standard')
    receivers.isDown = true
    await raise()
    clock.advance(3)
    await run(HOUR)
    receivers.isDown = false
    const { failingSince } = await endpoints.read(account, endpoint.publicId)
    assert.ok(failingSince !== null)
    assert.equal(await endpoints.recover(account, endpoint.publicId, failingSince), 1)
    await run(MINUTE)
    assert.deepEqual(receivers.seqs, [1])
  })

  test('a receiver that refuses at once is not sent ever more events, and each attempt is recorded', async t => {
    const { account, clock, create, endpoints, raise, receivers, run, store } = await start(t, engine)
    const { endpoint } = await create('standard')
    receivers.isDown = true
    const raised = MAX_OPEN_OF_ENDPOINT + 50
    await raise(raised)
    await run(5)
    const open = () => store.read(tx => tx.endpointDeliveries.openOf(endpoint.id, 1_000))
    const waiting = await open()
    assert.ok(waiting.length > 0 && waiting.length <= MAX_OPEN_OF_ENDPOINT, `${waiting.length} deliveries wait`)
    assert.ok(waiting.every(({ isSending }) => !isSending))
    receivers.isDown = false
    const since = clock.secs - HOUR
    await run(HOUR)
    await endpoints.recover(account, endpoint.publicId, since)
    await run(HOUR)
    assert.deepEqual(
      [...receivers.seqs].sort((a, b) => a - b),
      ascending(1, raised),
    )
    assert.deepEqual(await open(), [])
  })

  test('an attempt whose process died is repeated after its lease, and counts as a failed one', async t => {
    const { claim, clock, create, finish, raise, receivers, sendDue } = await start(t, engine)
    await create('standard')
    await raise(2)
    const [lost] = await claim()
    assert.equal(lost?.attempt, 1)
    clock.advance(14)
    assert.deepEqual(await claim(), [])
    clock.advance(1)
    await sendDue()
    clock.advance(10)
    await sendDue()
    assert.deepEqual(receivers.seqs, [2, 1])
    if (lost) await finish(lost)
    await sendDue()
    assert.deepEqual(receivers.seqs, [2, 1, 1], 'a process that only stalled sends it again')
    assert.equal(receivers.received[1]?.id, receivers.received[2]?.id)
  })

  test('a test event goes to one endpoint at once, also while it fails, and a success ends the failures', async t => {
    const { account, clock, create, endpoints, raise, receivers, run } = await start(t, engine)
    const { endpoint } = await create('persistent')
    await create('persistent', ['plan.updated'])
    receivers.isDown = true
    await raise(2)
    await run(HOUR)
    receivers.isDown = false
    await endpoints.test(account, endpoint.publicId)
    await run(MINUTE)
    assert.deepEqual(
      receivers.received.map(({ type }) => type),
      ['test', 'invoice.created', 'invoice.created'],
    )
    assert.equal(receivers.received[2]!.at - receivers.received[0]!.at < 10, true)
    assert.equal((await endpoints.read(account, endpoint.publicId)).failingSince, null)
    assert.ok(clock.secs > 0)
  })

  test('an event that is committed during a claim is not forgotten', async t => {
    const { create, endpointDeliveries, raise, receivers, sendDue } = await start(t, engine)
    await create('standard')
    await raise()
    await sendDue()
    for (let round = 0; round < 20; round++) {
      const due = async () => endpointDeliveries.claim(await endpointDeliveries.listDue(DUE))
      const [jobs] = await Promise.all([due(), raise(), endpointDeliveries.wake()])
      for (const job of jobs) await endpointDeliveries.record(job, await endpointDeliveries.attempt(job))
      await sendDue()
    }
    assert.deepEqual(receivers.seqs, ascending(1, 21))
  })

  test('an account whose endpoints cannot be woken holds up no other, and gets its events when it is repaired', async t => {
    const { account, create, databaseUrl, endpoints, raise, receivers, sendDue, store } = await start(t, engine)
    await create('standard')
    const other = await makeAccount(store)
    await endpoints.create(other, { url: 'https://other.example/hook' })
    await raise()
    await raise(1, 'invoice.paid', other)
    const row = { table: 'event_counters', column: 'account_id', value: String(account.id), on: 'UPDATE' } as const
    const repair = await poisonRow(databaseUrl, row)
    const types = () => receivers.received.map(({ type }) => type)
    await sendDue()
    assert.deepEqual(types(), ['invoice.paid'])
    await repair()
    await sendDue()
    assert.deepEqual(types(), ['invoice.paid', 'invoice.created'])
  })

  test('no attempt is begun of a delivery that was deleted with its event', async t => {
    const { account, clock, create, raise, receivers, sendDue, store } = await start(t, engine)
    const { endpoint } = await create('standard')
    receivers.isDown = true
    await raise()
    await sendDue()
    const [delivery] = await store.read(tx => tx.endpointDeliveries.openOf(endpoint.id, 1))
    assert.ok(delivery)
    const about = { accountId: account.id, invoiceId: null, url: endpoint.url, startedAt: clock.secs }
    const begin = (attempt: number) => {
      const started = { ...about, publicId: `attempt ${attempt}`, deliveryId: delivery.id, attempt }
      return store.write(tx => tx.endpointDeliveries.start(started, clock.nowMs()))
    }
    assert.equal(await begin(2), true)
    await store.write(tx => tx.events.prune(clock.secs + 1, 10))
    assert.equal(await begin(3), false)
  })

  test('an endpoint whose secret does not open is set aside, and others are served', async t => {
    const { account, create, endpoints, raise, receivers, sendDue, services, store, clock } = await start(t, engine)
    const { endpoint } = await create('standard')
    await create('standard')
    const broken = { sealedSecret: new Uint8Array(40), earlierSealedSecret: null, earlierSecretUntil: null }
    await store.write(tx => tx.endpoints.setSecret(endpoint.id, broken, clock.secs))
    await raise(2)
    await sendDue()
    assert.deepEqual(receivers.seqs, [1, 2])
    assert.deepEqual(
      (await services.setAsides.countByKindOf(account.id)).map(({ kind }) => kind),
      ['endpoint'],
    )
    await endpoints.rotateSecret(account, endpoint.publicId)
    await endpoints.rotateSecret(account, endpoint.publicId)
    clock.advance(DAY)
    await services.endpointDeliveries.retrySetAside()
    await sendDue()
    assert.deepEqual(receivers.seqs, [1, 2, 1, 2])
  })
})

onPostgres(engine => {
  test('an event that is deleted while an attempt begins is not sent, and the endpoint gets the next ones', async t => {
    const h = await start(t, engine)
    const { account, claim, clock, create, databaseUrl, raise, receivers, sendDue, services } = h
    const other = await openStore(databaseUrl)
    t.after(() => other.close())
    const admin = new pg.Client(databaseUrl)
    await admin.connect()
    t.after(() => admin.end())
    await create('persistent')
    receivers.isDown = true
    await raise()
    await sendDue()
    receivers.isDown = false
    clock.advance(20)

    const [deleted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const deleting = other.write(async tx => {
      await tx.events.prune(clock.secs, 10)
      deleted.resolve()
      await released.promise
    })
    await deleted.promise
    const claiming = claim()
    await until('the claim to wait', () => anyLockWait(admin)).finally(released.resolve)
    await deleting
    assert.deepEqual(await claiming, [])
    assert.deepEqual(await services.setAsides.countByKindOf(account.id), [])
    await raise()
    await sendDue()
    assert.deepEqual(receivers.seqs, [2])
  })
})
