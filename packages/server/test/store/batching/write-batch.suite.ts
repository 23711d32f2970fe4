import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { AppError } from '../../../src/domain/error.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import type { BatchTx, Store } from '../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { openEmptyStore } from '../../harness/databases.ts'
import type { Shop } from '../../harness/fixtures.ts'
import { hashOf, NOW, openShop } from '../../harness/fixtures.ts'

const MONTH = '2026-11'

interface Order {
  readonly shop: Shop
  readonly limit: number | null
  readonly idempotencyKey?: string
  /** Violates a constraint of the table after the order is counted. */
  readonly broken?: boolean
}

/** One batched write of several statements: the order can be a repetition, be refused, or violate a constraint. */
function countAndInsert(store: Store, { shop, limit, idempotencyKey, broken }: Order): Promise<Invoice> {
  const accountId = shop.account.id
  const draft = shop.draft(broken ? { viewingKeyId: 999 } : {})
  const work = async (tx: BatchTx) => {
    const claim = { ...claimOf(shop), invoicePublicId: draft.publicId }
    const first = idempotencyKey ? await tx.idempotency.claim({ ...claim, key: idempotencyKey }) : null
    if (first) {
      const made = await tx.invoices.byPublicId(first.invoicePublicId)
      assert.ok(made, 'a visible claim has its invoice')
      return made
    }
    const { counted, used } = await tx.usage.increment(accountId, MONTH, limit)
    if (!counted) throw new AppError('too_many_orders', { extra: { used } })
    return tx.invoices.insert(draft)
  }
  return store.writeBatched(accountId, work)
}

function claimOf({ account }: Shop) {
  const invoicePublicId: string = randomUUID()
  return { accountId: account.id, key: 'key', bodyHash: hashOf('body'), invoicePublicId, createdAt: NOW, since: NOW }
}

const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

async function soldBy(store: Store, shop: Shop): Promise<{ used: number; sold: number }> {
  return store.read(async tx => ({
    used: await tx.usage.used(shop.account.id, MONTH),
    sold: (await tx.invoices.list(shop.account.id, { limit: 999 })).length,
  }))
}

export function batchedWriteSuite(engine: DatabaseEngine): void {
  test('batched writes respect the limit of each account, and each caller gets its own invoice', async t => {
    const store = await openEmptyStore(engine, t)
    const [small, large, none] = [await openShop(store), await openShop(store), await openShop(store)]
    const orders: Order[] = [
      ...repeat(30, { shop: small, limit: 7 }),
      ...repeat(50, { shop: large, limit: null }),
      ...repeat(10, { shop: none, limit: 0 }),
      ...repeat(30, { shop: small, limit: 7 }),
    ]
    const results = await Promise.allSettled(orders.map(order => countAndInsert(store, order)))
    const made = results.flatMap((result, index) =>
      result.status === 'fulfilled' ? [{ invoice: result.value, shop: orders[index]?.shop }] : [],
    )
    assert.ok(made.every(({ invoice, shop }) => invoice.accountId === shop?.account.id))
    assert.equal(new Set(made.map(({ invoice }) => invoice.publicId)).size, 57)
    const refusals = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
    assert.deepEqual(new Set(refusals.map(error => error.code)), new Set(['too_many_orders']))
    assert.deepEqual(new Set(refusals.map(error => error.extra.used)), new Set([7, 0]))
    assert.deepEqual(await soldBy(store, small), { used: 7, sold: 7 })
    assert.deepEqual(await soldBy(store, large), { used: 50, sold: 50 })
    assert.deepEqual(await soldBy(store, none), { used: 0, sold: 0 })
  })

  test('a failed batched write undoes only its own count', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    const orders: Order[] = [
      ...repeat(10, { shop, limit: 15 }),
      { shop, limit: 15, broken: true },
      ...repeat(10, { shop: other, limit: null }),
      ...repeat(10, { shop, limit: 15 }),
    ]
    const results = await Promise.allSettled(orders.map(order => countAndInsert(store, order)))
    assert.match(String(results[10]?.status === 'rejected' && results[10].reason), /foreign key/i)
    assert.deepEqual(await soldBy(store, shop), { used: 15, sold: 15 })
    assert.deepEqual(await soldBy(store, other), { used: 10, sold: 10 })
  })

  test('wherever the failing ones of a batch are, they undo only their own counts', async t => {
    const store = await openEmptyStore(engine, t)
    for (const failing of [[0], [2], [4], [0, 1], [0, 2, 4], [3, 4], [0, 1, 2, 3, 4]]) {
      const shop = await openShop(store)
      const orders = repeat(5, shop).map((of, index) => ({ shop: of, limit: null, broken: failing.includes(index) }))
      const results = await Promise.allSettled(orders.map(order => countAndInsert(store, order)))
      const failed = results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
      assert.deepEqual(failed, failing)
      const count = 5 - failing.length
      assert.deepEqual(await soldBy(store, shop), { used: count, sold: count })
    }
  })

  test('a batched write that is rejected after a change undoes only its own change', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const changes: readonly ((tx: BatchTx) => Promise<unknown>)[] = [
      tx => tx.usage.increment(shop.account.id, MONTH, null),
      tx => tx.invoices.insert(shop.draft()),
      tx => tx.idempotency.claim(claimOf(shop)),
    ]
    for (const change of changes) {
      const other = await openShop(store)
      const refused = store.writeBatched(shop.account.id, async tx => {
        await change(tx)
        throw new AppError('plan_never_ends')
      })
      const results = await Promise.allSettled([
        ...repeat(3, { shop: other, limit: null }).map(order => countAndInsert(store, order)),
        refused,
        ...repeat(3, { shop: other, limit: null }).map(order => countAndInsert(store, order)),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        [...repeat(3, 'fulfilled'), 'rejected', ...repeat(3, 'fulfilled')],
      )
      assert.deepEqual(await soldBy(store, shop), { used: 0, sold: 0 })
      assert.equal(await store.read(tx => tx.idempotency.find(shop.account.id, 'key', NOW)), null)
      assert.deepEqual(await soldBy(store, other), { used: 6, sold: 6 })
    }
  })

  test('a batched write that finds its key claimed has changed nothing: when it is rejected, no other runs again', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await openShop(store), await openShop(store)]
    await store.write(tx => tx.idempotency.claim(claimOf(shop)))
    let runs = 0
    const count = () =>
      store.writeBatched(other.account.id, tx => {
        runs++
        return tx.usage.increment(other.account.id, MONTH, null)
      })
    const refused = store.writeBatched(shop.account.id, async tx => {
      assert.ok(await tx.idempotency.claim(claimOf(shop)))
      throw new AppError('plan_never_ends')
    })
    const results = await Promise.allSettled([count(), refused, count()])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal(runs, 2)
  })

  test('batched writes with the same idempotency key create one invoice, returned to all of them', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const orders: Order[] = repeat(3, ['a', 'b', 'c'])
      .flat()
      .map(idempotencyKey => ({ shop, limit: null, idempotencyKey }))
    const made = await Promise.all(
      [...orders, ...repeat(5, { shop, limit: null })].map(order => countAndInsert(store, order)),
    )
    const byKey = orders.map((_, index) => made[index]?.publicId)
    assert.deepEqual(byKey.slice(3), [...byKey.slice(0, 3), ...byKey.slice(0, 3)])
    assert.deepEqual(await soldBy(store, shop), { used: 8, sold: 8 })
  })
}
