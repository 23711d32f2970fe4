import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_DIVERSIFIER_INDEX } from '../../../src/domain/account/viewing-key.ts'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { openEmptyStore } from '../../harness/databases.ts'
import { hashOf, makeViewingKey, NOW, reserveIndexes } from '../../harness/fixtures.ts'

export function databaseIdentitySuite(engine: DatabaseEngine): void {
  test('a new database has no recorded identity, and its identity does not change when it is opened again', async t => {
    const database = await engine.createDatabase(t)
    const first = await database.open()
    const origin = await first.read(tx => tx.databaseIdentity.read())
    assert.equal(origin.recorded, '')
    assert.deepEqual(await first.query(tx => tx.databaseIdentity.read()), origin)
    assert.deepEqual(await first.write(tx => tx.databaseIdentity.lock()), origin)
    await first.write(tx => tx.databaseIdentity.record(origin.current))
    await first.close()
    const again = await database.open()
    const { recorded, current } = await again.read(tx => tx.databaseIdentity.read())
    assert.equal(recorded, origin.current)
    // A new SQLite file may not have a birth time yet.
    assert.ok(engine.name === 'SQLite' ? current.startsWith(recorded) : current === recorded, `${recorded} ${current}`)
  })

  test('every identity contains the parts that differ in a copy', async t => {
    const store = await openEmptyStore(engine, t)
    const { current } = await store.read(tx => tx.databaseIdentity.read())
    const form =
      engine.name === 'SQLite' ? /^inode:\d+(;born:\d+)?$/ : /^system:\d+;timeline:[0-9A-F]{8};database:\d+;table:\d+$/
    assert.match(current, form)
  })

  test('every key advances by its own step, and its watch period does not become shorter', async t => {
    const store = await openEmptyStore(engine, t)
    const keys = [await makeViewingKey(store), await makeViewingKey(store), await makeViewingKey(store)]
    const [, watched] = keys
    await store.write(tx => tx.viewingKeys.extendWatch(watched!.id, NOW + 50))
    const before = await Promise.all(keys.map(({ id }) => reserveIndexes(store, id, 1)))
    let drawn = 2n ** 44n
    const step = () => (drawn += 1n)
    assert.equal(await store.write(tx => tx.viewingKeys.advanceAllIndexes(step, NOW + 20)), 3)
    const after = await Promise.all(keys.map(({ id }) => reserveIndexes(store, id, 1)))
    assert.deepEqual(
      after,
      before.map((first, index) => first + 1n + 2n ** 44n + BigInt(index + 1)),
    )
    const all = await store.read(tx => tx.viewingKeys.list())
    assert.deepEqual(
      all.map(({ watchUntil }) => watchUntil),
      [NOW + 20, NOW + 50, NOW + 20],
    )
  })

  test('without keys no counter advances', async t => {
    const store = await openEmptyStore(engine, t)
    assert.equal(await store.write(tx => tx.viewingKeys.advanceAllIndexes(() => 1n, NOW)), 0)
  })

  test('no index above the maximum is reserved, and a counter stops at the maximum', async t => {
    const store = await openEmptyStore(engine, t)
    const key = { fingerprint: hashOf('key'), network: 'regtest', createdAt: NOW } as const
    const { id } = await store.write(tx =>
      tx.viewingKeys.findOrInsert({ ...key, firstIndex: MAX_DIVERSIFIER_INDEX - 10n }, () => new Uint8Array(1)),
    )
    const reserve = (count: number) => reserveIndexes(store, id, count)
    const exhausted = { kind: 'conflict', code: 'viewing_key_exhausted', message: /another viewing key/ }
    await assert.rejects(reserve(11), exhausted)
    assert.equal(await reserve(10), MAX_DIVERSIFIER_INDEX - 10n)
    await assert.rejects(reserve(1), exhausted)
    await store.write(tx => tx.viewingKeys.advanceAllIndexes(() => 2n ** 45n - 1n, NOW))
    await assert.rejects(reserve(1), exhausted)
    await assert.rejects(reserveIndexes(store, id + 1, 1), { kind: 'not_found' })
  })

  // The statements are the same on all databases, and creating this many keys is slow on the others.
  if (engine.name !== 'SQLite') return
  test('more keys than fit one statement all advance', async t => {
    const store = await openEmptyStore(engine, t)
    const count = 8_001
    await store.write(async tx => {
      for (let index = 0; index < count; index++) {
        const key = { fingerprint: hashOf(`${index}`), network: 'regtest', createdAt: NOW, firstIndex: 1n } as const
        await tx.viewingKeys.findOrInsert(key, id => Uint8Array.of(id & 0xff))
      }
    })
    assert.equal(await store.write(tx => tx.viewingKeys.advanceAllIndexes(() => 2n ** 44n, NOW)), count)
    const watched = await store.read(tx => tx.viewingKeys.watchedAt(NOW))
    assert.equal(watched.length, count)
  })
}
