import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVault } from '../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { createViewingKeys } from '../../src/services/viewing-key.ts'
import { openEmptyStore, sqliteEngine } from '../store/databases.ts'
import { NOW, openShop } from '../store/fixtures.ts'
import { testViewingKey } from '../support/api.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { createPlainNoteScanner } from '../support/plain-viewer.ts'

test('the first index of a key is never below 2^40, for any random bytes', async t => {
  const store = await openEmptyStore(sqliteEngine, t)
  const { account } = await openShop(store)
  for (const [n, byte] of [0, 0xff].entries()) {
    const bytes = (count: number) => new Uint8Array(count).fill(byte)
    const vault = createVault([new Uint8Array(32).fill(1)], systemRandom)
    const clock = new ManualClock(NOW)
    const deps = {
      store,
      noteScanner: createPlainNoteScanner(),
      vault,
      clock,
      random: { ...systemRandom, bytes },
      network: 'regtest' as const,
    }
    const { viewingKeyId } = await createViewingKeys(deps).setWithoutNotification(account, testViewingKey(n + 1))
    const first = await store.write(tx => tx.viewingKeys.reserveIndexes(viewingKeyId!, 1))
    assert.equal(first, 2n ** 40n + (byte === 0 ? 0n : 2n ** 48n - 1n))
  }
})
