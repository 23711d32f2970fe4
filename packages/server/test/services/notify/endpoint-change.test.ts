import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothDatabases } from '../../harness/databases.ts'
import { startEndpoints } from '../../harness/endpoints.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

onBothDatabases(engine => {
  test('a new URL is tried at once, without the failures of the old one', async t => {
    const { account, create, endpoints, raise, receivers, run, sendDue } = await startEndpoints(t, engine)
    const { endpoint } = await create('persistent')
    receivers.isDown = true
    await raise(3)
    await run(2 * DAY + 23 * HOUR)
    const url = 'https://shop.example/new'
    const { failingSince } = await endpoints.change(account, endpoint.publicId, { url })
    assert.equal(failingSince, null)
    await run(2 * HOUR)
    assert.equal((await endpoints.read(account, endpoint.publicId)).pausedAt, null, 'three days for the new URL')
    receivers.isDown = false
    await endpoints.change(account, endpoint.publicId, { url: `${url}/er` })
    await sendDue()
    assert.deepEqual(receivers.seqs, [2, 3], 'the first event had its three days')
    assert.equal(receivers.requests.at(-1)?.url, `${url}/er`)
  })

  test('a change of the types leaves the attempts as they are', async t => {
    const { account, create, endpoints, raise, receivers, run } = await startEndpoints(t, engine)
    const { endpoint } = await create('persistent')
    receivers.isDown = true
    await raise()
    await run(HOUR)
    const before = receivers.requests.length
    for (let change = 0; change < 3; change++) {
      await endpoints.change(account, endpoint.publicId, { types: ['invoice.created'] })
      await run(1)
    }
    assert.equal(receivers.requests.length, before)
    assert.notEqual((await endpoints.read(account, endpoint.publicId)).failingSince, null)
  })

  test('an endpoint that fails and becomes standard keeps the pauses of that schedule', async t => {
    const { account, create, endpoints, raise, receivers, run, clock } = await startEndpoints(t, engine)
    const { endpoint } = await create('persistent')
    receivers.isDown = true
    await raise()
    await run(HOUR)
    await endpoints.change(account, endpoint.publicId, { schedule: 'standard' })
    receivers.requests.length = 0
    await raise()
    const changedAt = clock.secs
    const at: number[] = []
    await run(10 * MINUTE, 1, async () => {
      const later = receivers.requests.filter(({ body }) => JSON.parse(String(body)).seq === 2).length
      while (at.length < later) at.push(clock.secs - changedAt)
    })
    assert.equal(at.length, 4, `attempts after ${at.join(', ')} s`)
    assert.ok(at.at(-1)! >= 370, `attempts after ${at.join(', ')} s`)
  })

  test('an endpoint that has failed for days and becomes persistent is tried for three days from then on', async t => {
    const { account, create, endpoints, raise, receivers, run } = await startEndpoints(t, engine)
    const { endpoint } = await create('standard')
    receivers.isDown = true
    await raise()
    await run(5 * DAY, HOUR)
    await endpoints.change(account, endpoint.publicId, { schedule: 'persistent' })
    await raise()
    await run(2 * DAY, HOUR)
    assert.equal((await endpoints.read(account, endpoint.publicId)).pausedAt, null)
    receivers.isDown = false
    await run(2 * HOUR)
    assert.deepEqual(receivers.seqs, [2])
  })

  test('an endpoint with nothing left to send is due again only after the next event', async t => {
    const { create, endpointDeliveries, raise, receivers, run, store, clock } = await startEndpoints(t, engine)
    await create('persistent')
    receivers.isDown = true
    await raise()
    await run(HOUR)
    // The event is gone before its next attempt, with its delivery.
    await store.write(tx => tx.events.prune(clock.secs + 1, 10))
    await run(2 * HOUR)
    assert.equal(await endpointDeliveries.nextDueAtMs(), null)
    receivers.isDown = false
    await raise()
    await run(MINUTE)
    assert.deepEqual(receivers.seqs, [2])
  })
})
