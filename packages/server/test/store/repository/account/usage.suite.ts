import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount } from '../../../harness/fixtures.ts'

export function usageSuite(engine: DatabaseEngine): void {
  for (const batched of [false, true]) {
    test(`200 concurrent increments with a limit of 50 count exactly 50${batched ? ', batched' : ''}`, async t => {
      const store = await openEmptyStore(engine, t)
      const account = await makeAccount(store)
      const take = () =>
        batched
          ? store.writeBatched(account.id, tx => tx.usage.increment(account.id, '2026-11', 50))
          : store.write(tx => tx.usage.increment(account.id, '2026-11', 50))
      const takes = await Promise.all(Array.from({ length: 200 }, take))
      const taken = takes.filter(result => result.counted).map(result => result.used)
      assert.deepEqual(
        taken.sort((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => index + 1),
      )
      assert.ok(takes.every(result => result.counted || result.used === 50))
      assert.equal(await store.read(tx => tx.usage.used(account.id, '2026-11')), 50)
    })
  }

  test('months and accounts are counted separately; null is no limit, and a limit of 0 counts nothing', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const other = await makeAccount(store)
    const take = (accountId: number, month: string, limit: number | null) =>
      store.write(tx => tx.usage.increment(accountId, month, limit))
    assert.deepEqual(await take(account.id, '2026-11', 0), { counted: false, used: 0 })
    assert.deepEqual(await take(account.id, '2026-11', 1), { counted: true, used: 1 })
    assert.deepEqual(await take(account.id, '2026-11', 1), { counted: false, used: 1 })
    assert.deepEqual(await take(account.id, '2026-11', null), { counted: true, used: 2 })
    assert.deepEqual(await take(account.id, '2026-11', 1), { counted: false, used: 2 })
    assert.deepEqual(await take(account.id, '2026-12', 1), { counted: true, used: 1 })
    assert.deepEqual(await take(other.id, '2026-11', 1), { counted: true, used: 1 })
    assert.equal(await store.read(tx => tx.usage.used(other.id, '2026-12')), 0)
  })
}
