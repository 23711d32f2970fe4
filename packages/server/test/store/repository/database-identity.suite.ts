import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_INDEX } from '../../../src/domain/viewing-key.ts'
import type { Engine } from '../databases.ts'
import { freshStore } from '../databases.ts'
import { hashOf, makeViewingKey, NOW } from '../fixtures.ts'

export function originSuite(engine: Engine): void {
  test('a new database has no recorded origin, and its identity stays the same when it is opened again', async t => {
    const database = await engine.fresh(t)
    const first = await database.open()
    const origin = await first.read(rows => rows.origin.read())
    assert.equal(origin.recorded, '')
    assert.deepEqual(await first.glance(rows => rows.origin.read()), origin)
    assert.deepEqual(await first.write(rows => rows.origin.lock()), origin)
    await first.write(rows => rows.origin.record(origin.current))
    await first.close()
    const again = await database.open()
    const { recorded, current } = await again.read(rows => rows.origin.read())
    assert.equal(recorded, origin.current)
    // A SQLite file that has just been made may not tell its birth time yet.
    assert.ok(engine.name === 'sqlite' ? current.startsWith(recorded) : current === recorded, `${recorded} ${current}`)
  })

  test('every identity names what tells a copy from its original', async t => {
    const store = await freshStore(engine, t)
    const { current } = await store.read(rows => rows.origin.read())
    const form =
      engine.name === 'sqlite' ? /^inode:\d+(;born:\d+)?$/ : /^system:\d+;timeline:[0-9A-F]{8};database:\d+;table:\d+$/
    assert.match(current, form)
  })

  test('every key moves on by its own step, and is watched at least as long as before', async t => {
    const store = await freshStore(engine, t)
    const keys = [await makeViewingKey(store), await makeViewingKey(store), await makeViewingKey(store)]
    const [, watched] = keys
    await store.write(rows => rows.viewingKeys.watch(watched!.id, NOW + 50))
    const before = await Promise.all(keys.map(({ id }) => store.write(rows => rows.viewingKeys.reserve(id, 1))))
    let drawn = 2n ** 44n
    const step = () => (drawn += 1n)
    assert.equal(await store.write(rows => rows.viewingKeys.moveOn(step, NOW + 20)), 3)
    const after = await Promise.all(keys.map(({ id }) => store.write(rows => rows.viewingKeys.reserve(id, 1))))
    assert.deepEqual(
      after,
      before.map((index, at) => index + 1n + 2n ** 44n + BigInt(at + 1)),
    )
    const all = await store.read(rows => rows.viewingKeys.all())
    assert.deepEqual(
      all.map(({ watchUntil }) => watchUntil),
      [NOW + 20, NOW + 50, NOW + 20],
    )
  })

  test('where there is no key, nothing moves', async t => {
    const store = await freshStore(engine, t)
    assert.equal(await store.write(rows => rows.viewingKeys.moveOn(() => 1n, NOW)), 0)
  })

  test('no index beyond the largest is reserved, and a counter moves no further than there', async t => {
    const store = await freshStore(engine, t)
    const key = { fingerprint: hashOf('key'), network: 'regtest', createdAt: NOW } as const
    const { id } = await store.write(rows =>
      rows.viewingKeys.ensure({ ...key, firstIndex: MAX_INDEX - 10n }, () => new Uint8Array(1)),
    )
    const reserve = (count: number) => store.write(rows => rows.viewingKeys.reserve(id, count))
    const exhausted = { kind: 'conflict', code: 'viewing_key_exhausted', message: /another viewing key/ }
    await assert.rejects(reserve(11), exhausted)
    assert.equal(await reserve(10), MAX_INDEX - 10n)
    await assert.rejects(reserve(1), exhausted)
    await store.write(rows => rows.viewingKeys.moveOn(() => 2n ** 45n - 1n, NOW))
    await assert.rejects(reserve(1), exhausted)
    await assert.rejects(
      store.write(rows => rows.viewingKeys.reserve(id + 1, 1)),
      { kind: 'not_found' },
    )
  })

  // The statements are the same for all; making so many keys takes long on the others.
  if (engine.name !== 'sqlite') return
  test('more keys than fit one statement all move on', async t => {
    const store = await freshStore(engine, t)
    const count = 8_001
    await store.write(async rows => {
      for (let at = 0; at < count; at++) {
        const key = { fingerprint: hashOf(`${at}`), network: 'regtest', createdAt: NOW, firstIndex: 1n } as const
        await rows.viewingKeys.ensure(key, id => Uint8Array.of(id & 0xff))
      }
    })
    assert.equal(await store.write(rows => rows.viewingKeys.moveOn(() => 2n ** 44n, NOW)), count)
    const watched = await store.read(rows => rows.viewingKeys.watched(NOW))
    assert.equal(watched.length, count)
  })
}
