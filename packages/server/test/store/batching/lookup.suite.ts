import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { openEmptyStore } from '../../harness/databases.ts'
import { hashOf, makeAccount, NOW, openShop } from '../../harness/fixtures.ts'

export function lookupSuite(engine: DatabaseEngine): void {
  test('concurrent lookups each return their own invoice, or null for an unknown id', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoices = await Promise.all(Array.from({ length: 200 }, () => shop.sell()))
    const found = await Promise.all(
      invoices.flatMap(({ publicId }) => [publicId, randomUUID(), publicId]).map(store.lookup.invoice),
    )
    assert.deepEqual(
      found,
      invoices.flatMap(invoice => [invoice, null, invoice]),
    )
  })

  test('concurrent key lookups each return their own account', async t => {
    const store = await openEmptyStore(engine, t)
    const accounts = await Promise.all(Array.from({ length: 5 }, () => makeAccount(store)))
    for (const [index, account] of accounts.entries())
      await store.write(tx =>
        tx.apiKeys.insert({
          publicId: randomUUID(),
          accountId: account.id,
          name: 'till',
          last4: '1234',
          rights: null,
          hash: hashOf(`${index}`),
          createdAt: NOW,
        }),
      )
    const found = await Promise.all([4, 2, 9, 0, 2].map(number => store.lookup.apiKey(hashOf(`${number}`))))
    assert.deepEqual(
      found.map(live => live?.account ?? null),
      [accounts[4], accounts[2], null, accounts[0], accounts[2]],
    )
  })

  test('a lookup sees every commit made before its call', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    for (let round = 0; round < 50; round++) {
      const others = [store.lookup.invoice(randomUUID()), store.lookup.invoice(randomUUID())]
      const invoice = await shop.sell()
      assert.deepEqual(await store.lookup.invoice(invoice.publicId), invoice)
      assert.deepEqual(await Promise.all(others), [null, null])
    }
  })
}
