import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HEADERS_KEPT } from '../../../../src/domain/chain/chain.ts'
import type { ChainProblem } from '../../../../src/domain/chain/chain-problem.ts'
import { MIGRATIONS } from '../../../../src/store/migrations/index.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { header, NOW } from '../../../harness/fixtures.ts'
import { migrationOf } from '../../../harness/migration.ts'

export function chainSuite(engine: DatabaseEngine): void {
  test('headers are appended, found and removed from the top', async t => {
    const store = await openEmptyStore(engine, t)
    assert.equal(await store.read(tx => tx.chain.tip()), null)
    assert.equal(await store.read(tx => tx.chain.oldestHeight()), null)
    await store.write(tx => tx.chain.appendHeaders([]))
    await store.write(tx => tx.chain.appendHeaders([header(5), header(6), header(7)]))
    assert.deepEqual(await store.read(tx => tx.chain.tip()), header(7))
    assert.deepEqual(await store.read(tx => tx.chain.headerAt(6)), header(6))
    assert.equal(await store.read(tx => tx.chain.headerAt(8)), null)
    assert.equal(await store.read(tx => tx.chain.oldestHeight()), 5)
    await store.write(tx => tx.chain.removeHeadersAbove(5))
    assert.deepEqual(await store.read(tx => tx.chain.tip()), header(5))
  })

  test('the store keeps as many headers as the deepest supported reorganisation', async t => {
    const store = await openEmptyStore(engine, t)
    const heights = Array.from({ length: 3_000 }, (_, index) => 10 + index)
    await store.write(tx => tx.chain.appendHeaders(heights.map(header)))
    const newest = 10 + 2_999
    assert.equal((await store.read(tx => tx.chain.tip()))?.height, newest)
    assert.equal(await store.read(tx => tx.chain.oldestHeight()), newest - HEADERS_KEPT)
  })

  test('a height is never stored twice', async t => {
    const store = await openEmptyStore(engine, t)
    await store.write(tx => tx.chain.appendHeaders([header(5)]))
    await assert.rejects(store.write(tx => tx.chain.appendHeaders([header(4), header(5)])))
    assert.equal(await store.read(tx => tx.chain.oldestHeight()), 5)
  })

  test('the synced time moves forward, and backward only when it is ahead of the clock', async t => {
    const store = await openEmptyStore(engine, t)
    const seenThrough = () => store.read(tx => tx.chain.syncedThrough())
    assert.equal(await seenThrough(), 0)
    await store.write(tx => tx.chain.setSyncedThrough(NOW, NOW))
    await store.write(tx => tx.chain.setSyncedThrough(NOW - 1, NOW))
    assert.equal(await seenThrough(), NOW)
    await store.write(tx => tx.chain.setSyncedThrough(NOW - 9, NOW - 1))
    assert.equal(await seenThrough(), NOW - 9)
  })

  test('the synced time is the least of all watchers', async t => {
    const second = 'INSERT INTO watchers (id, synced_through) VALUES (2, 100)'
    const store = await openEmptyStore(engine, t, { migrations: [...MIGRATIONS, migrationOf('0002_second', second)] })
    const syncThrough = async (secs: number) => {
      await store.write(tx => tx.chain.setSyncedThrough(secs, NOW))
      return store.read(tx => tx.chain.syncedThrough())
    }
    assert.deepEqual([await syncThrough(99), await syncThrough(101)], [99, 100])
  })

  test('the problems of the chain source are replaced as a whole, and a persisting one keeps its start time', async t => {
    const store = await openEmptyStore(engine, t)
    const replace = (problems: ChainProblem[], now: number) => store.write(tx => tx.chain.setProblems(problems, now))
    const problems = () => store.read(tx => tx.chain.problems())
    assert.deepEqual(await problems(), [])
    await replace([{ problem: 'upgrade_not_followed', upgrade: 'NU7' }], 10)
    await replace(
      [
        { problem: 'upgrade_not_followed', upgrade: 'NU7' },
        { problem: 'estimated_lag', blocks: 120 },
        { problem: 'server_left_out' },
      ],
      20,
    )
    assert.deepEqual(await problems(), [
      { problem: 'estimated_lag', blocks: 120, since: 20 },
      { problem: 'server_left_out', since: 20 },
      { problem: 'upgrade_not_followed', upgrade: 'NU7', since: 10 },
    ])
    await replace([{ problem: 'mempool_unreadable' }], 30)
    assert.deepEqual(await problems(), [{ problem: 'mempool_unreadable', since: 30 }])
    await replace([], 40)
    assert.deepEqual(await problems(), [])
  })
}
