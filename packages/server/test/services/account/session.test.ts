import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContainer } from '../../harness/container.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { makeAccount } from '../../harness/fixtures.ts'

onBothDatabases(engine => {
  test('ending all sessions ends those of the account at once, and is recorded only when there were any', async t => {
    const store = await openEmptyStore(engine, t)
    const { services } = await openTestContainer(t, { store })
    const { sessions, apiKeys, auditLog } = services
    const [account, other] = [await makeAccount(store), await makeAccount(store)]
    const tokens = [await sessions.create(account, 'one'), await sessions.create(account, 'two')].map(it => it.token)
    const stranger = await sessions.create(other, 'three')
    const { key } = await apiKeys.create(account, 'till')
    assert.equal(await sessions.endAll(account), 2)
    assert.equal(await sessions.endAll(account), 0)
    for (const token of tokens) assert.equal(await sessions.authenticate(token), null)
    assert.ok(await sessions.authenticate(stranger.token))
    assert.ok(await apiKeys.authenticate(key))
    assert.equal((await auditLog.list({ kind: 'sessions_ended' }, 10)).length, 1)
  })

  test('old sessions and revoked keys are deleted in bounded batches, with what refers to them', async t => {
    const store = await openEmptyStore(engine, t)
    const { services } = await openTestContainer(t, { store })
    const { sessions, apiKeys } = services
    const account = await makeAccount(store)
    for (const name of ['a', 'b', 'c']) {
      const { session } = await sessions.create(account, name)
      await store.write(tx => tx.signIn.setRecentlyAuthenticatedUntil(session.id, 1))
      const { apiKey } = await apiKeys.create(account, name)
      if (name !== 'c') await apiKeys.revoke(account, apiKey.publicId)
    }
    const prune = (limit: number) =>
      store.write(async tx => [
        await tx.sessions.prune(4_000_000_000, limit),
        await tx.apiKeys.prune(4_000_000_000, limit),
      ])
    assert.deepEqual(
      [await prune(1), await prune(10), await prune(10)],
      [
        [1, 1],
        [2, 1],
        [0, 0],
      ],
    )
    assert.deepEqual(
      (await apiKeys.list(account, { limit: 10 })).map(({ name }) => name),
      ['c'],
    )
  })
})
