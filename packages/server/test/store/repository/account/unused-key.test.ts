import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Store, Tx } from '../../../../src/ports/store.ts'
import { type DatabaseEngine, onBothDatabases, onPostgres } from '../../../harness/databases.ts'
import {
  hashOf,
  makeAccount,
  makeViewingKey,
  NOW,
  openShop,
  payment,
  reserveIndexes,
} from '../../../harness/fixtures.ts'
import { anyLockWait } from '../../../harness/lock-wait.ts'
import { until } from '../../../harness/until.ts'

const BEFORE = NOW + 1

const SEALED = Uint8Array.of(7)
const find = (tx: Tx, name: string) =>
  tx.viewingKeys.findOrInsert(
    { fingerprint: hashOf(name), network: 'regtest', createdAt: NOW, firstIndex: 1n },
    () => SEALED,
  )
const prune = (store: Store, before = BEFORE, limit = 10) => store.write(tx => tx.viewingKeys.prune(before, limit))
const idsOf = async (store: Store) => (await store.read(tx => tx.viewingKeys.list())).map(({ id }) => id)

onBothDatabases(engine => {
  test('a key is deleted when no account has it, its watch has ended and no payment to it is unmined', async t => {
    const store = await (await engine.createDatabase(t)).open()
    const shop = await openShop(store)
    await store.write(tx => tx.accounts.setViewingKey(shop.account.id, shop.viewingKey.id))
    const invoice = await shop.sell()
    const [current, watched, unused, young] = [
      shop.viewingKey,
      await makeViewingKey(store),
      await makeViewingKey(store),
      await store.write(tx =>
        tx.viewingKeys.findOrInsert(
          { fingerprint: hashOf('young'), network: 'regtest', createdAt: BEFORE, firstIndex: 1n },
          () => SEALED,
        ),
      ),
    ]
    await store.write(tx => tx.viewingKeys.extendWatch(watched.id, BEFORE))
    assert.equal(await prune(store), 1)
    assert.deepEqual(await idsOf(store), [current.id, watched.id, young.id])
    assert.equal(await store.write(tx => tx.viewingKeys.extendWatch(unused.id, BEFORE + 1)), false)
    assert.equal(await store.read(tx => tx.viewingKeys.watchedUntil(unused.id)), 0)

    const later = 4_000_000_000
    assert.equal(await prune(store, later), 2)
    await store.write(async tx => {
      await tx.payments.upsert([payment(invoice)])
      await tx.accounts.setViewingKey(shop.account.id, (await find(tx, 'another')).id)
    })
    assert.equal(await prune(store, later), 0, 'an unmined payment would no longer be found')
  })

  test('deletion keeps to its limit, and a deleted key is stored again with its counter', async t => {
    const store = await (await engine.createDatabase(t)).open()
    const [first] = [
      await makeViewingKey(store, 'a'),
      await makeViewingKey(store, 'b'),
      await makeViewingKey(store, 'c'),
    ]
    const reserved = await reserveIndexes(store, first.id, 100)
    assert.deepEqual([await prune(store, BEFORE, 2), await prune(store, BEFORE, 2)], [2, 1])
    await store.write(tx => tx.viewingKeys.advanceAllIndexes(() => 1_000n, BEFORE + 5))
    assert.equal(await store.read(tx => tx.viewingKeys.countWatched(BEFORE, 9)), 0)
    assert.deepEqual(await store.read(tx => tx.viewingKeys.watchedAt(BEFORE)), [])
    const again = await store.write(tx => find(tx, 'a'))
    assert.deepEqual([again.id, again.sealed], [first.id, SEALED])
    assert.ok((await reserveIndexes(store, first.id, 1)) >= reserved + 1_100n)
  })
})

onPostgres(engine => {
  /** Two processes, and a connection that sees who waits. */
  async function open(t: TestContext, on: DatabaseEngine) {
    const database = await on.createDatabase(t)
    const admin = new pg.Client(database.url)
    await admin.connect()
    t.after(() => admin.end())
    const [one, other] = [await database.open(), await database.open()]
    const account = await makeAccount(one)
    const key = await makeViewingKey(one, 'key')
    return { admin, one, other, account, key }
  }

  /** Runs `first` up to its last statement, starts `second`, and ends `first` when `second` waits for it. */
  async function overlap<T>(
    admin: pg.Client,
    first: (pause: () => Promise<void>) => Promise<unknown>,
    second: () => Promise<T>,
  ): Promise<T> {
    const begun = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const running = first(() => {
      begun.resolve()
      return goOn.promise
    })
    await begun.promise
    const following = second()
    await until('the second transaction to wait', () => anyLockWait(admin))
    goOn.resolve()
    await running
    return following
  }

  test('a key that an account takes at the same time is not deleted', async t => {
    const { admin, one, other, account, key } = await open(t, engine)
    const take = (pause: () => Promise<void>) =>
      one.write(async tx => {
        const { id } = await find(tx, 'key')
        await pause()
        await tx.accounts.setViewingKey(account.id, id)
      })
    assert.equal(await overlap(admin, take, () => prune(other)), 0)
    assert.deepEqual(await idsOf(one), [key.id])
  })

  test('a key that is deleted at the same time is stored again by the account that takes it', async t => {
    const { admin, one, other, account, key } = await open(t, engine)
    const remove = (pause: () => Promise<void>) =>
      one.write(async tx => {
        assert.equal(await tx.viewingKeys.prune(BEFORE, 10), 1)
        await pause()
      })
    const take = () =>
      other.write(async tx => {
        const { id, sealed } = await find(tx, 'key')
        await tx.accounts.setViewingKey(account.id, id)
        return sealed
      })
    assert.deepEqual(await overlap(admin, remove, take), SEALED)
    assert.deepEqual((await one.read(tx => tx.viewingKeys.byId(key.id)))?.sealed, SEALED)
  })

  test('a key that an invoice begins to watch at the same time is not deleted', async t => {
    const { admin, one, other, key } = await open(t, engine)
    const watch = (pause: () => Promise<void>) =>
      one.write(async tx => {
        assert.ok(await tx.viewingKeys.extendWatch(key.id, BEFORE + 900))
        await pause()
      })
    assert.equal(await overlap(admin, watch, () => prune(other)), 0)
    assert.deepEqual(await idsOf(one), [key.id])
  })
})
