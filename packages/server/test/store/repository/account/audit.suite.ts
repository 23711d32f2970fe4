import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, OPERATOR } from '../../../../src/domain/account/audit.ts'
import type { NewAuditEntry } from '../../../../src/ports/repository/account/audit.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount, NOW } from '../../../harness/fixtures.ts'

const OWNER: Actor = { by: 'owner', session: 's', network: '203.0.113.0/24', client: 'curl/8' }
const VISITOR: Actor = { ...OWNER, by: 'visitor', session: null }

export function auditSuite(engine: DatabaseEngine): void {
  test('entries are listed newest first, by account, in pages', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await makeAccount(store), await makeAccount(store)]
    const entry = (accountId: number | null, detail: string | null): NewAuditEntry => ({
      accountId,
      kind: accountId === null ? 'rescan_started' : 'api_key_created',
      actor: accountId === null ? OPERATOR : OWNER,
      detail,
      createdAt: NOW,
    })
    const written = [entry(shop.id, 'a'), entry(other.id, 'b'), entry(null, null), entry(shop.id, 'c')]
    await store.write(async tx => {
      for (const next of written) await tx.audit.append(next)
    })
    const all = await store.read(tx => tx.audit.list({}, 10))
    assert.deepEqual(
      all.map(({ id: _id, email: _email, ...rest }) => rest),
      written.toReversed(),
    )
    assert.deepEqual(
      all.map(({ email }) => email),
      [shop.email, null, other.email, shop.email],
    )
    const list = (...args: [number?, number?]) =>
      store.read(tx => tx.audit.list({ accountId: shop.id }, args[0] ?? 10, args[1]))
    assert.deepEqual(
      (await list()).map(({ detail }) => detail),
      ['c', 'a'],
    )
    const [newest] = await list(1)
    assert.deepEqual(
      (await list(1, newest?.id)).map(({ detail }) => detail),
      ['a'],
    )
    const oldest = (await list()).at(-1)
    const newer = await store.read(tx => tx.audit.list({ accountId: shop.id }, 1, undefined, oldest?.id))
    assert.deepEqual(newer, [newest])
  })

  test('entries by visitors are limited per account, and an unknown email gets none', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await makeAccount(store)
    const append = (email: string, createdAt: number) =>
      store.write(tx =>
        tx.audit.appendForEmail(
          email,
          { kind: 'sign_in_requested', actor: VISITOR, detail: null, createdAt },
          { since: createdAt - 100, max: 3 },
        ),
      )
    await store.write(tx =>
      tx.audit.append({ accountId: shop.id, kind: 'signed_in', actor: OWNER, detail: null, createdAt: NOW }),
    )
    await append('unknown@example.org', NOW)
    for (let i = 0; i < 5; i++) await append(shop.email, NOW)
    const count = async () => (await store.read(tx => tx.audit.list({}, 100))).length
    assert.equal(await count(), 4)
    await append(shop.email, NOW + 100)
    assert.equal(await count(), 5)
    const [entry] = await store.read(tx => tx.audit.list({}, 1))
    assert.deepEqual([entry?.accountId, entry?.actor, entry?.createdAt], [shop.id, VISITOR, NOW + 100])
  })

  test('the owner’s entries, or those of a session, are counted since a time, up to a maximum', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await makeAccount(store)
    await store.write(async tx => {
      for (const [actor, createdAt] of [
        [{ ...OWNER, session: null }, NOW],
        [OWNER, NOW + 1],
        [OWNER, NOW + 2],
        [VISITOR, NOW + 2],
        [OPERATOR, NOW + 2],
      ] as const)
        await tx.audit.append({ accountId: shop.id, kind: 'signed_in', actor, detail: null, createdAt })
    })
    const count = (since: number, max: number, session?: string | null) => {
      const owner = { accountId: shop.id, by: 'owner' } as const
      const scope = session === undefined ? owner : { ...owner, session }
      return store.read(tx => tx.audit.countBy(scope, since, max))
    }
    assert.deepEqual([await count(NOW - 1, 10), await count(NOW, 10), await count(NOW - 1, 2)], [3, 2, 2])
    assert.deepEqual([await count(NOW - 1, 10, 's'), await count(NOW - 1, 10, 'other')], [2, 0])
    assert.deepEqual([await count(NOW, 10, 's'), await count(NOW - 1, 10, null)], [2, 1])
  })

  test('old entries are deleted, oldest first and in bounded batches', async t => {
    const store = await openEmptyStore(engine, t)
    await store.write(async tx => {
      for (const createdAt of [NOW + 2, NOW, NOW + 1, NOW + 3])
        await tx.audit.append({ accountId: null, kind: 'rescan_started', actor: OPERATOR, detail: null, createdAt })
    })
    const prune = () => store.write(tx => tx.audit.prune(NOW + 3, 2))
    assert.deepEqual([await prune(), await prune(), await prune()], [2, 1, 0])
    assert.deepEqual(
      (await store.read(tx => tx.audit.list({}, 10))).map(({ createdAt }) => createdAt),
      [NOW + 3],
    )
  })
}
