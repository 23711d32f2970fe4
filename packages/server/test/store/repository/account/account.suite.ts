import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount, makeViewingKey, NOW } from '../../../harness/fixtures.ts'

export function accountSuite(engine: DatabaseEngine): void {
  test('an account is found by its id and by its email, and listed', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store, 'a@example.com')
    assert.equal(typeof account.id, 'number')
    assert.deepEqual(
      { ...account, id: 0, publicId: '' },
      {
        id: 0,
        publicId: '',
        email: 'a@example.com',
        network: 'regtest',
        confirmations: 3,
        toleranceBps: 0,
        plan: 'Free',
        planExpiresAt: null,
        viewingKeyId: null,
        createdAt: NOW,
      },
    )
    const other = await makeAccount(store)
    assert.deepEqual(await store.read(tx => tx.accounts.byId(account.id)), account)
    assert.deepEqual(await store.read(tx => tx.accounts.byEmail('a@example.com')), account)
    assert.deepEqual(await store.read(tx => tx.accounts.list(0, 10)), [account, other])
    assert.deepEqual(await store.read(tx => tx.accounts.list(0, 1)), [account])
    assert.deepEqual(await store.read(tx => tx.accounts.list(account.id, 1)), [other])
    assert.equal(await store.read(tx => tx.accounts.byId(999)), null)
    assert.equal(await store.read(tx => tx.accounts.byEmail('A@example.com')), null)
  })

  test('concurrent inserts with one email create one account', async t => {
    const store = await openEmptyStore(engine, t)
    const inserts = Array.from({ length: 8 }, () => makeAccount(store, 'a@example.com'))
    const results = await Promise.allSettled(inserts)
    assert.equal(results.filter(result => result.status === 'fulfilled').length, 1)
    assert.equal((await store.read(tx => tx.accounts.list(0, 10))).length, 1)
  })

  test('the account keeps the expiry of its viewing key until a key without expiry is set', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const key = await makeViewingKey(store)
    const read = () => store.read(tx => tx.accounts.byId(account.id))
    const set = { ...account, viewingKeyId: key.id }
    for (const expiry of [
      { time: 253_402_300_799, height: 2 ** 32 - 1 },
      { time: 0, height: null },
      { time: null, height: 0 },
    ]) {
      await store.write(tx => tx.accounts.setViewingKey(account.id, key.id, expiry))
      assert.deepEqual(await read(), { ...set, viewingKeyExpiry: expiry })
    }
    const apiKey = { publicId: 'key', accountId: account.id, name: 'till', last4: 'abcd', rights: null, createdAt: NOW }
    await store.write(tx => tx.apiKeys.insert({ ...apiKey, hash: Uint8Array.of(1) }))
    const [live] = await store.read(tx => tx.apiKeys.authenticate([Uint8Array.of(1)]))
    assert.deepEqual(live?.account, await read())
    await store.write(tx => tx.accounts.setViewingKey(account.id, key.id))
    assert.deepEqual(await read(), set)
  })

  test('confirmations, viewing key and plan change for one account only', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const other = await makeAccount(store)
    const key = await makeViewingKey(store)
    await store.write(async tx => {
      await tx.accounts.setTerms(account.id, { confirmations: 0, toleranceBps: 0 })
      await tx.accounts.setViewingKey(account.id, key.id)
      await tx.accounts.setPlan(account.id, 'Pro', NOW + 1)
    })
    const changed = { ...account, confirmations: 0, viewingKeyId: key.id, plan: 'Pro', planExpiresAt: NOW + 1 }
    assert.deepEqual(await store.read(tx => tx.accounts.list(0, 10)), [changed, other])
    await store.write(tx => tx.accounts.setPlan(account.id, 'Free', null))
    assert.deepEqual(await store.read(tx => tx.accounts.byId(account.id)), {
      ...changed,
      plan: 'Free',
      planExpiresAt: null,
    })
  })
}
