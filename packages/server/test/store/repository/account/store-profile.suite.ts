import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_STORE, type StoreProfile } from '../../../../src/domain/account/store-profile.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount } from '../../../harness/fixtures.ts'

const FULL: StoreProfile = {
  name: 'Käserei <b>',
  logo: 'a'.repeat(64),
  accent: '#1b6a57',
  support: 'help@shop.example',
  website: 'https://shop.example/',
  locale: 'de',
  currency: 'EUR',
  expiresInSecs: 3_600,
  afterPayment: 'return',
  frameOrigins: ['https://shop.example', 'https://www.shop.example:8443'],
}

export function storeProfileSuite(engine: DatabaseEngine): void {
  test('a profile is read as it was saved, for its account alone, and replaced by the next', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await makeAccount(store), await makeAccount(store)]
    const read = () => Promise.all([shop.id, other.id, shop.id].map(store.lookup.storeProfile))
    assert.deepEqual(await read(), [null, null, null])
    await store.write(tx => tx.storeProfiles.save(shop.id, FULL))
    assert.deepEqual(await read(), [FULL, null, FULL])
    const second = { ...EMPTY_STORE, name: 'Second' }
    await store.write(async tx => {
      await tx.storeProfiles.save(shop.id, second)
      await tx.storeProfiles.save(other.id, FULL)
    })
    assert.deepEqual(await read(), [second, FULL, second])
  })

  test('a logo is found by its hash while an account has it', async t => {
    const store = await openEmptyStore(engine, t)
    const [shop, other] = [await makeAccount(store), await makeAccount(store)]
    const image = Uint8Array.of(0, 255, 137, 80)
    const [hash, next] = ['a'.repeat(64), 'b'.repeat(64)]
    const read = async (name: string) => {
      const found = await store.read(tx => tx.storeProfiles.logo(name))
      return found && [...found]
    }
    const save = (id: number, logo: { hash: string; image: Uint8Array } | null) =>
      store.write(tx => tx.storeProfiles.saveLogo(id, logo))
    await save(shop.id, { hash, image })
    await save(other.id, { hash, image })
    await save(shop.id, { hash: next, image: Uint8Array.of(1) })
    assert.deepEqual([await read(hash), await read(next)], [[...image], [1]])
    await save(other.id, null)
    assert.deepEqual([await read(hash), await read(next), await read('c')], [null, [1], null])
  })
}
