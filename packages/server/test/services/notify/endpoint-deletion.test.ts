import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATOR } from '../../../src/domain/account/audit.ts'
import { onBothDatabases } from '../../harness/databases.ts'
import { startEndpoints } from '../../harness/endpoints.ts'
import { readTables } from '../../harness/tables.ts'

const DAY = 86_400

onBothDatabases(engine => {
  test('an account is kept while an endpoint has events to get; then its endpoints, deliveries and events are deleted', async t => {
    const h = await startEndpoints(t, engine)
    const { account, clock, create, raise, receivers, run, services, store } = h
    await create('persistent')
    await create('standard')
    receivers.isDown = true
    await raise(3)
    await run(DAY, DAY / 8)
    await services.accountDeletions.request(account, OPERATOR)
    const erase = async () => {
      await store.write(tx => tx.chain.setSyncedThrough(clock.secs, clock.secs))
      while (await services.accountDeletions.eraseDue());
    }
    clock.advance(8 * DAY)
    const [job] = await h.claim()
    await erase()
    assert.equal((await readTables(h.databaseUrl)).events?.length, 3, 'one is sent')
    await h.finish(job!)
    await run(4 * DAY, DAY / 8)
    await erase()
    const tables = await readTables(h.databaseUrl)
    for (const table of ['events', 'event_counters', 'endpoints', 'deliveries', 'delivery_attempts'])
      assert.deepEqual(tables[table], [], table)
    await h.sendDue()
  })

  test('events are kept for EVENT_RETENTION_DAYS, and their deliveries are deleted with them', async t => {
    const { account, clock, create, raise, run, services, store } = await startEndpoints(t, engine, {
      EVENT_RETENTION_DAYS: '30',
    })
    await create('standard')
    await raise(2)
    await run(1)
    clock.advance(30 * DAY - 2)
    await raise()
    const kept = () => store.read(tx => tx.events.listAfter(account.id, 0, 10))
    assert.equal(await services.cleanup.pruneEvents(), false)
    assert.equal((await kept()).length, 3)
    clock.advance(2)
    await services.cleanup.pruneEvents()
    assert.deepEqual(
      (await kept()).map(({ seq }) => seq),
      [3],
    )
    assert.deepEqual(await store.read(tx => tx.events.range(account.id)), { prunedSeq: 2, lastSeq: 3 })
  })
})
