import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DEFAULT_PLANS } from '../../../src/domain/account/plan.ts'
import { AppError } from '../../../src/domain/error.ts'
import type { Random } from '../../../src/ports/random.ts'
import type { Store } from '../../../src/ports/store.ts'
import type { AddressOfKey } from '../../../src/services/sale/address.ts'
import { createInvoices } from '../../../src/services/sale/invoice.ts'
import { openEmptyStore, sqliteEngine } from '../../harness/databases.ts'
import { NOW, openShop, type Shop } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const HOUR = 3_600
const NO_KEY_LIMIT = { checkInvoice: async () => {} }
let uuids = 0
const random: Random = {
  bytes: count => new Uint8Array(count),
  uuid: () => `00000000-0000-4000-8000-${(++uuids).toString(16).padStart(12, '0')}`,
}

/** The service of one process, over a store with injected faults. */
async function harnessOf(t: TestContext, open: (store: Store) => Promise<Shop> = openShop) {
  const store = await openEmptyStore(sqliteEngine, t)
  const clock = new ManualClock(NOW)
  const shop = await open(store)
  const { id: viewingKeyId, fingerprint } = shop.viewingKey
  await store.write(tx => tx.accounts.setViewingKey(shop.account.id, viewingKeyId))
  const account = { ...shop.account, plan: 'Business', viewingKeyId }
  let next = 1n
  const back: AddressOfKey[] = []
  const addresses = {
    reserve: async () => back.shift() ?? { index: next++, address: 'uregtest1…', fingerprint },
    release: (_key: number, reserved: AddressOfKey) => void back.push(reserved),
    forget: () => assert.fail('the key has not changed'),
  }
  const process = (over: Store = store) =>
    createInvoices({
      store: over,
      addresses,
      clock,
      random,
      plans: DEFAULT_PLANS,
      lateWatchDays: 7,
      watchedKeys: NO_KEY_LIMIT,
      rates: { rate: () => assert.fail('no price is in money') },
    })
  const create = (service: ReturnType<typeof process>, idempotencyKey?: string) =>
    service.create(account, { amountZat: 5n, expiresInSecs: undefined, idempotencyKey })
  const watchUntil = async () => (await store.read(tx => tx.viewingKeys.byId(shop.viewingKey.id)))!.watchUntil
  return { store, shop, clock, back, process, create, watchUntil }
}

test('a key is watched as long as each of its invoices, even if another process replays one of them', async t => {
  const { clock, process, create, watchUntil } = await harnessOf(t)
  const first = await create(process(), 'order-1')
  clock.advance(20 * HOUR)
  const late = process()
  assert.equal((await create(late, 'order-1')).id, first.id)
  const next = await create(late)
  assert.ok((await watchUntil()) >= next.watchUntil, 'its payments would not be scanned for')
})

test('of many invoices that need a longer watch of their key, one extends it and the others share batches', async t => {
  const { store, clock, process, create, watchUntil } = await harnessOf(t)
  let extensions = 0
  const service = process({
    ...store,
    write(work) {
      extensions++
      return store.write(work)
    },
  })
  const createAtOnce = () => Promise.all(Array.from({ length: 50 }, () => create(service)))
  assert.equal(new Set((await createAtOnce()).map(({ id }) => id)).size, 50)
  assert.equal(extensions, 1)
  clock.advance(2 * HOUR)
  const later = await createAtOnce()
  assert.equal(extensions, 2)
  assert.ok((await watchUntil()) >= Math.max(...later.map(invoice => invoice.watchUntil)))
})

test('when the request that others wait for extends no watch, the next one does', async t => {
  const { clock, process, create, watchUntil } = await harnessOf(t)
  const service = process()
  const first = await create(service, 'order-1')
  clock.advance(20 * HOUR)
  const [replayed, ...created] = await Promise.all([
    create(service, 'order-1'),
    ...Array.from({ length: 10 }, () => create(service)),
  ])
  assert.equal(replayed?.id, first.id)
  assert.equal(new Set(created.map(({ id }) => id)).size, 10)
  assert.ok((await watchUntil()) >= Math.max(...created.map(invoice => invoice.watchUntil)))
})

test('a key is watched as long as each of its invoices, also in a promoted standby that watches it shorter', async t => {
  const primary = await harnessOf(t)
  const standby = await harnessOf(t, store => openShop(store, primary.shop))
  let { store } = primary
  const service = primary.process({
    ...store,
    write: work => store.write(work),
    writeBatched: (accountId, work) => store.writeBatched(accountId, work),
  })
  await primary.create(service)
  store = standby.store
  const next = await primary.create(service)
  assert.ok((await standby.watchUntil()) >= next.watchUntil, 'its payments would not be scanned for')
})

test('an index is not used again after a commit whose outcome is not known, but is after a refused request', async t => {
  const { store, back, process, create } = await harnessOf(t)
  let lose = true
  const losing: Store = {
    ...store,
    async write(work) {
      const result = await store.write(work)
      if (!lose) return result
      lose = false
      throw new AppError('database_unavailable')
    },
  }
  const service = process(losing)
  await assert.rejects(create(service), { code: 'database_unavailable' })
  assert.deepEqual(back, [])
  await create(service)
  await create(service, 'order-1')
  const other = { amountZat: 6n, expiresInSecs: undefined, idempotencyKey: 'order-1' }
  const account = (await store.read(tx => tx.accounts.list(0, 1)))[0]!
  const key = (await store.read(tx => tx.viewingKeys.list()))[0]!
  const refused = service.create({ ...account, plan: 'Business', viewingKeyId: key.id }, other)
  await assert.rejects(refused, { code: 'idempotency_key_reused' })
  assert.equal(back.length, 1)
  await create(service, 'order-1')
  assert.equal(back.length, 1, 'a replay gives its address back too')
})

test('an expired key is found after the idempotency key, and the address of the refused invoice is released', async t => {
  const { store, clock, back, process } = await harnessOf(t)
  const { id } = (await store.read(tx => tx.viewingKeys.list()))[0]!
  const account = (await store.read(tx => tx.accounts.list(0, 1)))[0]!
  const expiring = { ...account, viewingKeyId: id, viewingKeyExpiry: { time: clock.secs + HOUR, height: null } }
  const service = process()
  const create = (idempotencyKey: string) =>
    service.create(expiring, { amountZat: 5n, expiresInSecs: 600, idempotencyKey })
  const first = await create('order-1')
  clock.advance(2 * HOUR)
  assert.equal((await create('order-1')).id, first.id)
  await assert.rejects(create('order-2'), { code: 'viewing_key_expired' })
  assert.equal(back.length, 1)
  assert.equal(await store.read(tx => tx.idempotency.find(account.id, 'order-2', 0)), null)
})
