import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { ApiKey } from '../../../../src/domain/account/api-key.ts'
import type { Session } from '../../../../src/domain/account/session.ts'
import type { Store } from '../../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { hashOf, makeAccount, NOW } from '../../../harness/fixtures.ts'

function makeKey(store: Store, accountId: number, secret: string): Promise<ApiKey> {
  const key = { publicId: randomUUID(), accountId, name: 'till', last4: secret.slice(-4), rights: null, createdAt: NOW }
  return store.write(tx => tx.apiKeys.insert({ ...key, hash: hashOf(secret) }))
}

function makeEndingKey(store: Store, accountId: number, name: string, expiresAt: number | null): Promise<ApiKey> {
  const rights = { scopes: ['invoices:read'], expiresAt, addresses: null } as const
  const key = { publicId: randomUUID(), accountId, name, last4: '0000', rights, createdAt: NOW }
  return store.write(tx => tx.apiKeys.insert({ ...key, hash: hashOf(randomUUID()) }))
}

function makeSession(store: Store, accountId: number, token: string, expiresAt = NOW + 100): Promise<Session> {
  const session = {
    publicId: randomUUID(),
    accountId,
    label: 'Firefox',
    origin: 'browser',
    createdAt: NOW,
    expiresAt,
  } as const
  return store.write(tx => tx.sessions.insert({ ...session, hash: hashOf(token) }))
}

export function credentialSuite(engine: DatabaseEngine): void {
  test('the keys that end in a period are listed, the first ones first, without revoked ones', async t => {
    const store = await openEmptyStore(engine, t)
    const [{ id }, other] = [await makeAccount(store), await makeAccount(store)]
    for (const [name, expiresAt] of [
      ['now', NOW],
      ['later', NOW + 9],
      ['soon', NOW + 5],
      ['far', NOW + 10],
    ] as const)
      await makeEndingKey(store, id, name, expiresAt)
    await makeEndingKey(store, id, 'never', null)
    await makeEndingKey(store, other.id, 'foreign', NOW + 1)
    const revoked = await makeEndingKey(store, id, 'revoked', NOW + 1)
    await store.write(tx => tx.apiKeys.revoke(id, revoked.publicId, NOW))
    const list = (limit: number) =>
      store.read(async tx => (await tx.apiKeys.endingSoon(id, NOW, NOW + 9, limit)).map(({ name }) => name))
    assert.deepEqual([await list(9), await list(1)], [['soon', 'later'], ['soon']])
  })

  test('a key is found by its hash, with its account, until it is revoked', async t => {
    const store = await openEmptyStore(engine, t)
    await makeAccount(store)
    const account = await makeAccount(store)
    const key = await makeKey(store, account.id, 'zg_1234')
    assert.deepEqual(
      { ...key, id: 0, publicId: '' },
      {
        id: 0,
        publicId: '',
        name: 'till',
        last4: '1234',
        rights: null,
        createdAt: NOW,
        lastUsedAt: null,
        revokedAt: null,
      },
    )
    const authenticate = (secret: string) => store.lookup.apiKey(hashOf(secret))
    assert.deepEqual(await authenticate('zg_1234'), { key, account })
    assert.equal(await authenticate('zg_12345'), null)
    assert.equal(await store.write(tx => tx.apiKeys.revoke(account.id, key.publicId, NOW + 1)), true)
    assert.equal(await authenticate('zg_1234'), null)
  })

  test('only the owner can revoke a key, and revoking twice keeps the first time', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const stranger = await makeAccount(store)
    const key = await makeKey(store, account.id, 'zg_1234')
    const revoke = (accountId: number, publicId: string, at: number) =>
      store.write(tx => tx.apiKeys.revoke(accountId, publicId, at))
    assert.equal(await revoke(stranger.id, key.publicId, NOW), null)
    assert.equal(await revoke(account.id, randomUUID(), NOW), null)
    assert.equal(await store.read(tx => tx.apiKeys.countActive(account.id, NOW)), 1)
    assert.equal(await revoke(account.id, key.publicId, NOW + 1), true)
    assert.equal(await revoke(account.id, key.publicId, NOW + 2), false)
    assert.equal(await store.read(tx => tx.apiKeys.countActive(account.id, NOW)), 0)
    const [listed] = await store.read(tx => tx.apiKeys.list(account.id, { limit: 10 }))
    assert.equal(listed?.revokedAt, NOW + 1)
  })

  test('keys are listed newest first, in pages whose cursor is a key of the account', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const stranger = await makeAccount(store)
    const keys: ApiKey[] = []
    for (const secret of ['zg_1', 'zg_2', 'zg_3']) keys.unshift(await makeKey(store, account.id, secret))
    const foreign = await makeKey(store, stranger.id, 'zg_4')
    const list = (limit: number, before?: string) =>
      store.read(tx => tx.apiKeys.list(account.id, { limit, ...(before && { before }) }))
    assert.deepEqual(await list(2), keys.slice(0, 2))
    assert.deepEqual(await list(2, keys[1]?.publicId), keys.slice(2))
    await assert.rejects(list(2, foreign.publicId), { code: 'invalid_before' })
    await assert.rejects(list(2, 'no such id'), { code: 'invalid_before' })
  })

  test('a session is found by its hash until it expires or ends', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const stranger = await makeAccount(store)
    const session = await makeSession(store, account.id, 'one')
    const expired = await makeSession(store, account.id, 'two', NOW + 1)
    const authenticate = (token: string, now: number) => store.query(tx => tx.sessions.authenticate(hashOf(token), now))
    const end = (accountId: number, { publicId }: Session, at: number) =>
      store.write(async tx => (await tx.sessions.end(accountId, publicId, at))?.publicId ?? null)
    assert.deepEqual(await authenticate('one', NOW + 99), { session, account })
    assert.equal(await authenticate('one', NOW + 100), null)
    const isActive = (now: number) => store.query(tx => tx.sessions.isActive(session.id, now))
    assert.deepEqual([await isActive(NOW + 99), await isActive(NOW + 100)], [true, false])
    assert.equal(await end(stranger.id, session, NOW), null)
    assert.equal(await end(account.id, expired, NOW + 1), null)
    assert.deepEqual(await store.read(tx => tx.sessions.list(account.id, NOW, { limit: 9 })), [expired, session])
    assert.equal(await end(account.id, session, NOW + 2), session.publicId)
    assert.equal(await end(account.id, session, NOW + 3), null)
    assert.equal(await authenticate('one', NOW + 3), null)
    assert.equal(await isActive(NOW + 3), false)
    assert.deepEqual(await store.read(tx => tx.sessions.list(account.id, NOW + 1, { limit: 9 })), [])
  })

  test('the last use is recorded only for the given credentials', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const used = await makeKey(store, account.id, 'zg_1')
    const unused = await makeKey(store, account.id, 'zg_2')
    const session = await makeSession(store, account.id, 'one')
    await store.write(async tx => {
      await tx.apiKeys.touch([used.id, used.id], NOW + 5)
      await tx.apiKeys.touch([], NOW + 6)
      await tx.sessions.touch([session.id], NOW + 7)
    })
    const keys = await store.read(tx => tx.apiKeys.list(account.id, { limit: 9 }))
    assert.deepEqual(keys, [unused, { ...used, lastUsedAt: NOW + 5 }])
    const sessions = await store.read(tx => tx.sessions.list(account.id, NOW, { limit: 9 }))
    assert.deepEqual(sessions, [{ ...session, lastUsedAt: NOW + 7 }])
  })
}
