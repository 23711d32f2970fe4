import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Actor } from '../../../src/domain/account/audit.ts'
import { EMPTY_STORE } from '../../../src/domain/account/store-profile.ts'
import { AppError, invalidField } from '../../../src/domain/error.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { makeAccount } from '../../harness/fixtures.ts'

const ACTOR: Actor = { by: 'owner', session: 'session', network: '203.0.113.0/24', client: 'Firefox on Linux' }
const PUBLIC_URL = 'https://pay.example'

async function open(engine: DatabaseEngine, t: TestContext) {
  const store = await openEmptyStore(engine, t)
  // Stands for the encoder: it refuses an empty file, and makes another image of each other one.
  const logoEncoder = {
    async encode(file: Uint8Array) {
      if (file.length === 0) throw invalidField('logo', 'an image')
      return Uint8Array.from(file, byte => byte ^ 0xff)
    },
  }
  const { services } = await openTestContainer(t, { store, logoEncoder })
  const account = await makeAccount(store)
  const entries = async () =>
    (await store.read(tx => tx.audit.list({ accountId: account.id }, 100)))
      .toReversed()
      .map(({ kind, actor, detail }) => [kind, actor.by, detail])
  return { store, account, entries, storeProfiles: services.storeProfiles }
}

onBothDatabases(engine => {
  test('a change sets the fields that it names, and is recorded with their names; one that changes nothing is not', async t => {
    const { store, account, entries, storeProfiles } = await open(engine, t)
    const other = await makeAccount(store)
    assert.deepEqual(await storeProfiles.ofAccountId(account.id), EMPTY_STORE)
    const first = { name: 'Shop', accent: '#AABBCC', frameOrigins: ['https://shop.example'] }
    await storeProfiles.change(account, first, PUBLIC_URL, ACTOR)
    await storeProfiles.change(account, { ...first, accent: '#aabbcc' }, PUBLIC_URL, ACTOR)
    const after = await storeProfiles.change(account, { accent: null, expiresInSecs: 600 }, PUBLIC_URL, ACTOR)
    const expected = { ...EMPTY_STORE, name: 'Shop', frameOrigins: ['https://shop.example'], expiresInSecs: 600 }
    assert.deepEqual([after, await storeProfiles.ofAccountId(account.id)], [expected, expected])
    assert.deepEqual(await storeProfiles.ofAccountId(other.id), EMPTY_STORE)
    assert.deepEqual(await entries(), [
      ['store_changed', 'owner', 'name, accent, frame_origins'],
      ['store_changed', 'owner', 'accent, expires_in_secs'],
    ])
  })

  test('a refused change or image leaves no row and no entry', async t => {
    const { account, entries, storeProfiles } = await open(engine, t)
    const invalid = (error: unknown) => error instanceof AppError && error.code.startsWith('invalid_')
    await assert.rejects(storeProfiles.change(account, { name: 'Shop', accent: 'red' }, PUBLIC_URL, ACTOR), invalid)
    await assert.rejects(storeProfiles.setLogo(account, Uint8Array.of(), ACTOR), invalid)
    await storeProfiles.removeLogo(account, ACTOR)
    assert.deepEqual([await storeProfiles.ofAccountId(account.id), await entries()], [EMPTY_STORE, []])
  })

  test('of a logo the encoded image is stored, by its hash, until it is replaced or removed', async t => {
    const { account, entries, storeProfiles } = await open(engine, t)
    const set = async (...bytes: number[]) =>
      (await storeProfiles.setLogo(account, Uint8Array.from(bytes), ACTOR)).logo as string
    const hash = await set(1, 2)
    assert.equal(hash, createHash('sha256').update(Uint8Array.of(254, 253)).digest('hex'))
    const read = async (name: string) => {
      const image = await storeProfiles.logo(name)
      return image && [...image]
    }
    assert.deepEqual(await read(hash), [254, 253])
    const second = await set(3)
    assert.deepEqual([await read(hash), await read(second)], [null, [252]])
    await storeProfiles.removeLogo(account, ACTOR)
    assert.deepEqual([await read(second), (await storeProfiles.ofAccountId(account.id)).logo], [null, null])
    assert.deepEqual(await entries(), Array(3).fill(['store_changed', 'owner', 'logo']))
  })
})
