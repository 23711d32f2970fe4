import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import { createServices } from '../../../src/container.ts'
import { openTestContainer } from '../../harness/container.ts'
import { reserveIndexes } from '../../harness/fixtures.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

test('the first index of a key is never below 2^40, for any random bytes', async t => {
  const { infrastructure, services } = await openTestContainer(t)
  const { store } = infrastructure
  const account = await services.accounts.findOrCreate('shop@example.org')
  for (const [n, byte] of [0, 0xff].entries()) {
    const random = { ...systemRandom, bytes: (count: number) => new Uint8Array(count).fill(byte) }
    const { viewingKeys } = createServices({ ...infrastructure, random }, null)
    const { viewingKeyId } = await viewingKeys.setWithoutNotification(account, testViewingKey(n + 1))
    const first = await reserveIndexes(store, viewingKeyId!, 1)
    assert.equal(first, 2n ** 40n + (byte === 0 ? 0n : 2n ** 48n - 1n))
  }
})

test('spaces and line breaks around a viewing key do not matter', async t => {
  const { services } = await openTestContainer(t)
  const { accounts, viewingKeys } = services
  const account = await accounts.findOrCreate('shop@example.org')
  const { firstAddress } = await viewingKeys.set(account, testViewingKey())
  assert.equal((await viewingKeys.set(account, ` \n${testViewingKey()}\r\n`)).firstAddress, firstAddress)
})
