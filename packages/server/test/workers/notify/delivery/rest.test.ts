import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServices } from '../../../../src/container.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { openTestContainer } from '../../../harness/container.ts'
import { onBothDatabases, openEmptyStore } from '../../../harness/databases.ts'
import { ManualClock } from '../../../harness/manual-clock.ts'

const SLOTS = { total: 100, forAccount: () => 10, fullAccountIds: [], isAttempting: () => false }

onBothDatabases(engine => {
  test('a run opens no write transaction until a delivery or the lease of a lost attempt is due, and then claims it', async t => {
    const store = await openEmptyStore(engine, t)
    let writes = 0
    const counting: Store = {
      ...store,
      write(work) {
        writes += 1
        return store.write(work)
      },
    }
    const clock = new ManualClock()
    const { infrastructure, services } = await openTestContainer(t, { store, clock })
    const { deliveries } = createServices({ ...infrastructure, store: counting }, null)
    /** Whether the run claims a delivery, its write transactions, and the milliseconds until the next one is due. */
    const run = async () => {
      writes = 0
      const { jobs, nextDueAtMs } = await deliveries.recordAndClaim([], SLOTS)
      return [jobs.length, writes, nextDueAtMs && nextDueAtMs - clock.nowMs()]
    }
    assert.deepEqual(await run(), [0, 0, null])

    const account = await services.accounts.findOrCreate('shop@example.com')
    await services.webhooks.set(account, 'https://shop.example/hook')
    assert.deepEqual(await run(), [0, 0, null])
    await services.webhooks.test(account)
    const [claimed, transactions, leaseMs] = await run()
    assert.deepEqual([claimed, transactions], [1, 1])
    // The process that claimed it has crashed.
    assert.ok(leaseMs && leaseMs > 1_000)
    clock.advanceMs(leaseMs - 1)
    assert.deepEqual(await run(), [0, 0, 1])
    clock.advanceMs(1)
    assert.deepEqual((await run()).slice(0, 2), [1, 1])
  })
})
