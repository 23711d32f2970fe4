import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../databases.ts'
import { freshStore } from '../databases.ts'
import { hashOf, makeViewingKey, NOW } from '../fixtures.ts'

export function viewingKeySuite(engine: Engine): void {
  test('one key is one row, sealed once for its place', async t => {
    const store = await freshStore(engine, t)
    const places: number[] = []
    const ensure = () =>
      store.write(rows =>
        rows.viewingKeys.ensure(
          { fingerprint: hashOf('key'), network: 'regtest', createdAt: NOW, firstIndex: 7n },
          id => {
            places.push(id)
            return hashOf(`sealed for ${id}`)
          },
        ),
      )
    const made = await Promise.all([ensure(), ensure(), ensure()])
    const [row] = made
    assert.ok(row)
    assert.deepEqual(made, [row, row, row])
    assert.deepEqual(places, [row.id])
    assert.deepEqual(row.sealed, hashOf(`sealed for ${row.id}`))
    assert.ok(row.sealed.constructor === Uint8Array)
    assert.deepEqual(await store.read(rows => rows.viewingKeys.byId(row.id)), row)
    assert.equal(await store.read(rows => rows.viewingKeys.byId(row.id + 99)), null)
  })

  test('an index is never reserved twice, by however many at once', async t => {
    const store = await freshStore(engine, t)
    const key = await makeViewingKey(store)
    const counts = Array.from({ length: 60 }, (_, index) => (index % 7) + 1)
    const firsts = await Promise.all(counts.map(count => store.write(rows => rows.viewingKeys.reserve(key.id, count))))
    const indexes = firsts.flatMap((first, at) => Array.from({ length: counts[at] ?? 0 }, (_, i) => first + BigInt(i)))
    assert.equal(new Set(indexes).size, indexes.length)
    const sorted = indexes.toSorted((a, b) => Number(a - b))
    assert.equal(sorted.at(-1)! - sorted[0]!, BigInt(indexes.length - 1))
  })

  test('an index beyond 2^53 is exact', async t => {
    const store = await freshStore(engine, t)
    const key = await makeViewingKey(store)
    const reserve = (count: number) => store.write(rows => rows.viewingKeys.reserve(key.id, count))
    const first = await reserve(Number.MAX_SAFE_INTEGER)
    for (const step of [0n, 1n, 2n, 3n]) assert.equal(await reserve(1), first + 2n ** 53n - 1n + step)
  })

  test('a reservation that fails leaves the index to the next', async t => {
    const store = await freshStore(engine, t)
    const key = await makeViewingKey(store)
    let failed: bigint | undefined
    const failing = store.write(async rows => {
      failed = await rows.viewingKeys.reserve(key.id, 5)
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    assert.equal(await store.write(rows => rows.viewingKeys.reserve(key.id, 1)), failed)
  })

  test('a key is watched as long as any of its invoices, and no shorter for a later one', async t => {
    const store = await freshStore(engine, t)
    const key = await makeViewingKey(store)
    const unused = await makeViewingKey(store)
    await store.write(rows => rows.viewingKeys.watch(key.id, NOW + 10))
    await store.write(rows => rows.viewingKeys.watch(key.id, NOW + 5))
    const watched = async (now: number) => (await store.read(rows => rows.viewingKeys.watched(now))).map(row => row.id)
    assert.deepEqual(await watched(NOW + 10), [key.id])
    assert.deepEqual(await watched(NOW + 11), [])
    const all = await store.read(rows => rows.viewingKeys.all())
    assert.deepEqual(all, [{ ...key, watchUntil: NOW + 10 }, unused])
  })

  test('a key is sealed anew', async t => {
    const store = await freshStore(engine, t)
    const key = await makeViewingKey(store)
    await store.write(rows => rows.viewingKeys.reseal(key.id, hashOf('anew')))
    assert.deepEqual(await store.read(rows => rows.viewingKeys.byId(key.id)), { ...key, sealed: hashOf('anew') })
  })
}
