import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../databases.ts'
import { freshStore } from '../databases.ts'
import { makeAccount, makeViewingKey, NOW } from '../fixtures.ts'

export function accountSuite(engine: Engine): void {
  test('an account is found by its id and by its email, and listed', async t => {
    const store = await freshStore(engine, t)
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
        plan: 'Free',
        planExpiresAt: null,
        viewingKeyId: null,
        createdAt: NOW,
      },
    )
    const other = await makeAccount(store)
    assert.deepEqual(await store.read(rows => rows.accounts.byId(account.id)), account)
    assert.deepEqual(await store.read(rows => rows.accounts.byEmail('a@example.com')), account)
    assert.deepEqual(await store.read(rows => rows.accounts.list()), [account, other])
    assert.equal(await store.read(rows => rows.accounts.byId(999)), null)
    assert.equal(await store.read(rows => rows.accounts.byEmail('A@example.com')), null)
  })

  test('an email has one account, whoever asks at the same time', async t => {
    const store = await freshStore(engine, t)
    const makers = Array.from({ length: 8 }, () => makeAccount(store, 'a@example.com'))
    const made = await Promise.allSettled(makers)
    assert.equal(made.filter(result => result.status === 'fulfilled').length, 1)
    assert.equal((await store.read(rows => rows.accounts.list())).length, 1)
  })

  test('the expiry of the viewing key stands with the account, until a key is set without one', async t => {
    const store = await freshStore(engine, t)
    const account = await makeAccount(store)
    const key = await makeViewingKey(store)
    const read = () => store.read(rows => rows.accounts.byId(account.id))
    const set = { ...account, viewingKeyId: key.id }
    for (const expiry of [
      { time: 253_402_300_799, height: 2 ** 32 - 1 },
      { time: 0, height: null },
      { time: null, height: 0 },
    ]) {
      await store.write(rows => rows.accounts.setViewingKey(account.id, key.id, expiry))
      assert.deepEqual(await read(), { ...set, viewingKeyExpiry: expiry })
    }
    const apiKey = { publicId: 'key', accountId: account.id, name: 'till', last4: 'abcd', createdAt: NOW }
    await store.write(rows => rows.apiKeys.insert({ ...apiKey, hash: Uint8Array.of(1) }))
    const [live] = await store.read(rows => rows.apiKeys.authenticate([Uint8Array.of(1)]))
    assert.deepEqual(live?.account, await read())
    await store.write(rows => rows.accounts.setViewingKey(account.id, key.id))
    assert.deepEqual(await read(), set)
  })

  test('confirmations, viewing key and plan of one account change, and of no other', async t => {
    const store = await freshStore(engine, t)
    const account = await makeAccount(store)
    const other = await makeAccount(store)
    const key = await makeViewingKey(store)
    await store.write(async rows => {
      await rows.accounts.setConfirmations(account.id, 0)
      await rows.accounts.setViewingKey(account.id, key.id)
      await rows.accounts.setPlan(account.id, 'Pro', NOW + 1)
    })
    const changed = { ...account, confirmations: 0, viewingKeyId: key.id, plan: 'Pro', planExpiresAt: NOW + 1 }
    assert.deepEqual(await store.read(rows => rows.accounts.list()), [changed, other])
    await store.write(rows => rows.accounts.setPlan(account.id, 'Free', null))
    assert.deepEqual(await store.read(rows => rows.accounts.byId(account.id)), {
      ...changed,
      plan: 'Free',
      planExpiresAt: null,
    })
  })
}
