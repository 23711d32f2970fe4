import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewPayment } from '../../../../src/ports/repository/sale/payment.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import {
  hashOf,
  makeAccount,
  makeViewingKey,
  NOW,
  openShop,
  payment,
  reserveIndexes,
} from '../../../harness/fixtures.ts'

export function viewingKeySuite(engine: DatabaseEngine): void {
  test('a key has one row and is sealed once, for its row id', async t => {
    const store = await openEmptyStore(engine, t)
    const sealedIds: number[] = []
    const ensure = () =>
      store.write(tx =>
        tx.viewingKeys.findOrInsert(
          { fingerprint: hashOf('key'), network: 'regtest', createdAt: NOW, firstIndex: 7n },
          id => {
            sealedIds.push(id)
            return hashOf(`sealed for ${id}`)
          },
        ),
      )
    const rows = await Promise.all([ensure(), ensure(), ensure()])
    const [row] = rows
    assert.ok(row)
    assert.deepEqual(rows, [row, row, row])
    assert.deepEqual(sealedIds, [row.id])
    assert.deepEqual(row.sealed, hashOf(`sealed for ${row.id}`))
    assert.ok(row.sealed.constructor === Uint8Array)
    assert.deepEqual(await store.read(tx => tx.viewingKeys.byId(row.id)), row)
    assert.equal(await store.read(tx => tx.viewingKeys.byId(row.id + 99)), null)
  })

  test('the keys used last are the current keys of accounts with the latest invoices', async t => {
    const store = await openEmptyStore(engine, t)
    const [replaced, older, newer, unused] = [
      await makeViewingKey(store),
      await makeViewingKey(store),
      await makeViewingKey(store),
      await makeViewingKey(store),
    ]
    for (const { id } of [older, newer, unused]) {
      const account = await makeAccount(store)
      await store.write(async tx => {
        await tx.accounts.setViewingKey(account.id, replaced.id)
        await tx.accounts.setViewingKey(account.id, id)
      })
    }
    await store.write(async tx => {
      await tx.viewingKeys.extendWatch(replaced.id, NOW + 9)
      await tx.viewingKeys.extendWatch(older.id, NOW + 1)
      await tx.viewingKeys.extendWatch(newer.id, NOW + 2)
    })
    const lastUsed = async (limit: number) =>
      (await store.read(tx => tx.viewingKeys.lastUsed(limit))).map(({ id }) => id)
    assert.deepEqual(await lastUsed(10), [newer.id, older.id, unused.id])
    assert.deepEqual(await lastUsed(1), [newer.id])
  })

  test('concurrent reservations never return the same index', async t => {
    const store = await openEmptyStore(engine, t)
    const key = await makeViewingKey(store)
    const counts = Array.from({ length: 60 }, (_, index) => (index % 7) + 1)
    const firsts = await Promise.all(counts.map(count => reserveIndexes(store, key.id, count)))
    const indexes = firsts.flatMap((first, index) =>
      Array.from({ length: counts[index] ?? 0 }, (_, i) => first + BigInt(i)),
    )
    assert.equal(new Set(indexes).size, indexes.length)
    const sorted = indexes.toSorted((a, b) => Number(a - b))
    assert.equal(sorted.at(-1)! - sorted[0]!, BigInt(indexes.length - 1))
  })

  test('an index beyond 2^53 is exact', async t => {
    const store = await openEmptyStore(engine, t)
    const key = await makeViewingKey(store)
    const reserve = (count: number) => reserveIndexes(store, key.id, count)
    const first = await reserve(Number.MAX_SAFE_INTEGER)
    for (const step of [0n, 1n, 2n, 3n]) assert.equal(await reserve(1), first + 2n ** 53n - 1n + step)
  })

  test('a failed reservation leaves its index to the next one', async t => {
    const store = await openEmptyStore(engine, t)
    const key = await makeViewingKey(store)
    let failed: bigint | undefined
    const failing = store.write(async tx => {
      failed = (await tx.viewingKeys.reserveIndexes(key.id, 5)).first
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    assert.equal(await reserveIndexes(store, key.id, 1), failed)
  })

  test('a key is watched as long as any of its invoices; a shorter period does not shorten it', async t => {
    const store = await openEmptyStore(engine, t)
    const key = await makeViewingKey(store)
    const unused = await makeViewingKey(store)
    await store.write(tx => tx.viewingKeys.extendWatch(key.id, NOW + 10))
    await store.write(tx => tx.viewingKeys.extendWatch(key.id, NOW + 5))
    const watched = async (now: number) => (await store.read(tx => tx.viewingKeys.watchedAt(now))).map(row => row.id)
    assert.deepEqual(await watched(NOW + 10), [key.id])
    assert.deepEqual(await watched(NOW + 11), [])
    const all = await store.read(tx => tx.viewingKeys.list())
    assert.deepEqual(all, [{ ...key, watchUntil: NOW + 10 }, unused])
    assert.deepEqual(await store.read(tx => tx.viewingKeys.listAfter(0, 1)), all.slice(0, 1))
    assert.deepEqual(await store.read(tx => tx.viewingKeys.listAfter(key.id, 5)), [unused])
  })

  test('a key is watched while a recorded payment to it is not mined', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const paid = payment(await shop.sell())
    const watched = async () => (await store.read(tx => tx.viewingKeys.watchedAt(NOW + 1))).map(row => row.id)
    const record = (terms: Partial<NewPayment>) => store.write(tx => tx.payments.upsert([{ ...paid, ...terms }]))
    assert.deepEqual(await watched(), [])
    await record({ location: { at: 'mempool' } })
    assert.deepEqual(await watched(), [shop.viewingKey.id])
    await record({ location: { at: 'mined', height: 5 } })
    assert.deepEqual(await watched(), [])
  })

  test('a key can be sealed again', async t => {
    const store = await openEmptyStore(engine, t)
    const key = await makeViewingKey(store)
    const reseal = (text: string) => store.write(tx => tx.viewingKeys.reseal(key.id, key.sealed, hashOf(text)))
    assert.deepEqual([await reseal('anew'), await reseal('late')], [true, false])
    assert.deepEqual(await store.read(tx => tx.viewingKeys.byId(key.id)), { ...key, sealed: hashOf('anew') })
  })
}
