import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { test } from 'node:test'
import { watchedSince } from '../../../src/domain/chain/watched-key.ts'
import { NO_METRICS } from '../../../src/ports/metrics.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { Vault } from '../../../src/ports/vault.ts'
import { createScanKeys } from '../../../src/services/chain/scan-key.ts'
import { createSetAsides } from '../../../src/services/set-aside.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { NOW, openShop, payment } from '../../harness/fixtures.ts'
import { silentLog } from '../../harness/log.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { withRepositories } from '../../harness/tx.ts'

/** The scan keys of a process on one of the databases, the first one until `switchTo`. */
function processOn(first: Store) {
  let current = first
  let reads = 0
  const unreadable = new Set<number>()
  const counted: Store['read'] = work =>
    current.read(tx => {
      const watchedAt: typeof tx.viewingKeys.watchedAt = now => {
        reads++
        return tx.viewingKeys.watchedAt(now)
      }
      return work(withRepositories(tx, { viewingKeys: { ...tx.viewingKeys, watchedAt } }))
    })
  const store = new Proxy({} as Store, {
    get: (_, name: keyof Store) => (name === 'read' ? counted : current[name]),
  })
  const vault: Vault = {
    seal: secret => secret,
    open(sealed, { row }) {
      if (unreadable.has(row)) throw new Error('another key')
      return sealed
    },
  }
  const setAsides = createSetAsides({ store, clock: new ManualClock(NOW), log: silentLog, metrics: NO_METRICS })
  const scanKeys = createScanKeys({ store, vault, setAsides, metrics: NO_METRICS })
  return {
    scanKeys,
    unreadable,
    switchTo(other: Store) {
      current = other
    },
    /** The ids of the keys that are scanned at a time, and whether they were read for it. */
    async at(time: number): Promise<[ids: number[], isRead: boolean]> {
      const before = reads
      const { keys } = await scanKeys.watchedAt(time)
      return [keys.map(({ id }) => id), reads > before]
    },
  }
}

/** A key that is scanned through a time. Its sealed bytes are its fingerprint. */
function watchedKey(store: Store, until: number, fingerprint: Uint8Array = randomBytes(32)): Promise<number> {
  return store.write(async tx => {
    const key = { fingerprint, network: 'regtest', createdAt: NOW, firstIndex: 1n } as const
    const { id } = await tx.viewingKeys.findOrInsert(key, () => fingerprint)
    await tx.viewingKeys.extendWatch(id, watchedSince(until))
    return id
  })
}

onBothDatabases(engine => {
  test('the watched keys are read again when another process watches a key, and when a watch ends', async t => {
    const store = await openEmptyStore(engine, t)
    const { at } = processOn(store)
    const first = await watchedKey(store, NOW + 10)
    const second = await watchedKey(store, NOW + 20)
    assert.deepEqual(await at(NOW), [[first, second], true])
    assert.deepEqual(await at(NOW + 10), [[first, second], false])
    const third = await watchedKey(store, NOW + 20)
    assert.deepEqual(await at(NOW + 10), [[first, second, third], true])
    assert.deepEqual(await at(NOW + 11), [[second, third], true])
    assert.deepEqual(await at(NOW + 20), [[second, third], false])
    assert.deepEqual(await at(NOW + 10), [[first, second, third], true])
  })

  test('a key is found although another one leaves at the same time', async t => {
    const store = await openEmptyStore(engine, t)
    const { at } = processOn(store)
    const first = await watchedKey(store, NOW + 10)
    assert.deepEqual(await at(NOW), [[first], true])
    const second = await watchedKey(store, NOW + 20)
    assert.deepEqual(await at(NOW + 11), [[second], true])
  })

  test('whatever changes, the keys are those that the database has at that time', async t => {
    const store = await openEmptyStore(engine, t)
    const { at } = processOn(store)
    const shop = await openShop(store)
    const paid = payment(await shop.sell())
    const ids = [shop.viewingKey.id]
    let time = NOW
    let unread = 0
    for (let step = 0; step < 300; step++) {
      const kind = randomInt(8)
      const until = time + randomInt(4)
      const id = ids[randomInt(ids.length)]!
      if (kind === 0) ids.push(await watchedKey(store, until))
      if (kind === 1 || kind === 2) await store.write(tx => tx.viewingKeys.extendWatch(id, watchedSince(until)))
      if (kind === 3) time += randomInt(3)
      if (kind === 4 && randomInt(3) === 0) time -= randomInt(3)
      if (kind === 5) {
        const location = randomInt(2) ? ({ at: 'mempool' } as const) : ({ at: 'mined', height: 5 } as const)
        await store.write(tx => tx.payments.upsert([{ ...paid, location }]))
      }
      const stored = await store.read(tx => tx.viewingKeys.watchedAt(watchedSince(time)))
      const [found, isRead] = await at(time)
      assert.deepEqual(
        found,
        stored.map(key => key.id),
      )
      if (!isRead) unread++
    }
    assert.ok(unread > 30)
  })

  test('in a promoted standby the same row id can hold another key', async t => {
    const [primary, standby] = [await openEmptyStore(engine, t), await openEmptyStore(engine, t)]
    const { scanKeys, at, switchTo } = processOn(primary)
    const id = await watchedKey(primary, NOW + 10)
    assert.deepEqual(await at(NOW), [[id], true])
    const other = randomBytes(32)
    assert.equal(await watchedKey(standby, NOW + 10, other), id)
    switchTo(standby)
    const { keys } = await scanKeys.watchedAt(NOW)
    assert.deepEqual([...keys[0]!.incoming], [...other])
    assert.deepEqual(await at(NOW), [[id], false])
  })

  test('while a key is set aside, the keys are read each time', async t => {
    const store = await openEmptyStore(engine, t)
    const { scanKeys, at, unreadable } = processOn(store)
    const good = await watchedKey(store, NOW + 10)
    const bad = await watchedKey(store, NOW + 10)
    unreadable.add(bad)
    assert.deepEqual(await at(NOW), [[good], true])
    assert.deepEqual(await at(NOW), [[good], true])
    assert.equal((await scanKeys.watchedAt(NOW)).leftOut.length, 1)
    unreadable.delete(bad)
    const [entry] = await store.read(tx => tx.setAside.list(10))
    await store.write(tx => tx.setAside.remove(entry!))
    assert.deepEqual(await at(NOW), [[good, bad], true])
    assert.deepEqual(await at(NOW), [[good, bad], false])
  })
})
