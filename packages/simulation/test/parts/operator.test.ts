import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVault } from '@zatgate/server/adapters/crypto/vault'
import { EncryptionKeys } from '../../src/parts/operator/encryption-keys.ts'
import { checkExport } from '../../src/parts/operator/export.ts'
import { createFakeWorld } from './fake-world.ts'

const NONCE = { bytes: () => new Uint8Array(12), uuid: () => '' }

test('a secret that is not sealed with the present keys is found', () => {
  const { world, broken, tables } = createFakeWorld()
  Object.assign(world, { nextSeed: () => 1 })
  const keys = new EncryptionKeys(world)
  const seal = (key: Uint8Array, row: number) => ({
    name: 'webhooks',
    row: 1n,
    sealed: createVault([key], NONCE).seal(Buffer.from('secret'), { table: 'webhooks', column: 'secret', row }),
  })
  tables['FROM webhooks'] = [seal(keys.present[0]!, 1)]
  keys.check(keys.present, 'every secret at rest opens with the present keys')
  assert.deepEqual(broken, [])
  tables['FROM webhooks'] = [seal(new Uint8Array(32), 1), seal(keys.present[0]!, 2)]
  keys.check(keys.present, 'every secret at rest opens with the present keys')
  assert.deepEqual(broken, [
    'every secret at rest opens with the present keys',
    'every secret at rest opens with the present keys',
  ])
})

test('after a restore the keys of the backup open its secrets again', () => {
  const { world } = createFakeWorld()
  Object.assign(world, { nextSeed: () => 1 })
  const keys = new EncryptionKeys(world)
  const [first] = keys.present
  const older = new Uint8Array(32)
  keys.restored([first!, older])
  assert.deepEqual(keys.present, [first, older])
})

test('an export that lacks an invoice, repeats one, or shows one of another account is found', () => {
  const { world, broken } = createFakeWorld()
  const check = (exported: readonly string[]) =>
    checkExport(world, { name: 'merchant 1' }, { before: ['a', 'b'], exported, after: ['a', 'b', 'c'] })
  check(['a', 'b'])
  check(['a', 'b', 'c'])
  assert.deepEqual(broken, [])
  check(['a'])
  check(['a', 'b', 'b'])
  check(['a', 'b', 'd'])
  assert.equal(broken.length, 3)
})
