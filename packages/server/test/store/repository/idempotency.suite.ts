import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { openEmptyStore } from '../../harness/databases.ts'
import { hashOf, makeAccount, NOW } from '../../harness/fixtures.ts'

const DAY = 86_400

export function idempotencySuite(engine: DatabaseEngine): void {
  test('one of many concurrent claims succeeds, and the others return it', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const claim = () => ({
      accountId: account.id,
      key: 'order 7',
      bodyHash: hashOf('body'),
      invoicePublicId: randomUUID() as string,
      createdAt: NOW,
      since: NOW - DAY,
    })
    const claims = Array.from({ length: 20 }, claim)
    const results = await Promise.all(claims.map(item => store.write(tx => tx.idempotency.claim(item))))
    const winner = claims[results.indexOf(null)]
    assert.ok(winner)
    const existing = { bodyHash: hashOf('body'), invoicePublicId: winner.invoicePublicId }
    assert.deepEqual(
      results.filter(result => result !== null),
      Array.from({ length: 19 }, () => existing),
    )
    const find = (key: string, since: number) => store.read(tx => tx.idempotency.find(account.id, key, since))
    assert.deepEqual(await find('order 7', NOW), existing)
    assert.equal(await find('order 7', NOW + 1), null)
    assert.equal(await find('order 8', NOW), null)
  })

  test('an expired claim is replaced, and accounts do not share keys', async t => {
    const store = await openEmptyStore(engine, t)
    const [account, other] = [await makeAccount(store), await makeAccount(store)]
    const claim = (accountId: number, invoicePublicId: string, createdAt: number) =>
      store.write(tx =>
        tx.idempotency.claim({
          accountId,
          key: 'k',
          bodyHash: hashOf(invoicePublicId),
          invoicePublicId,
          createdAt,
          since: createdAt - DAY,
        }),
      )
    assert.equal(await claim(account.id, 'one', NOW), null)
    assert.equal(await claim(other.id, 'two', NOW), null)
    assert.equal((await claim(account.id, 'three', NOW + DAY))?.invoicePublicId, 'one')
    assert.equal(await claim(account.id, 'four', NOW + DAY + 1), null)
    const found = await store.read(tx => tx.idempotency.find(account.id, 'k', NOW))
    assert.deepEqual(found, { bodyHash: hashOf('four'), invoicePublicId: 'four' })
  })

  test('old claims are pruned oldest first, up to the limit', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    for (const secs of [2, 0, 1, 3]) {
      await store.write(tx =>
        tx.idempotency.claim({
          accountId: account.id,
          key: `key ${secs}`,
          bodyHash: hashOf('body'),
          invoicePublicId: randomUUID(),
          createdAt: NOW + secs,
          since: NOW - DAY,
        }),
      )
    }
    const left = async () => {
      const found = [0, 1, 2, 3].map(secs => store.read(tx => tx.idempotency.find(account.id, `key ${secs}`, 0)))
      return (await Promise.all(found)).map(claim => claim !== null)
    }
    assert.equal(await store.write(tx => tx.idempotency.prune(NOW + 3, 2)), 2)
    assert.deepEqual(await left(), [false, false, true, true])
    assert.equal(await store.write(tx => tx.idempotency.prune(NOW + 3, 2)), 1)
    assert.equal(await store.write(tx => tx.idempotency.prune(NOW + 3, 2)), 0)
    assert.deepEqual(await left(), [false, false, false, true])
  })
}
