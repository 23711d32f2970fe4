import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createVault, UnknownEncryptionKeyError } from '../../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../../src/adapters/system/random.ts'

const key = randomBytes(32)
const vault = createVault([key], systemRandom)
const context = { table: 'viewing_keys', column: 'sealed', row: 7 }

test('a sealed secret opens in the context where it was sealed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), secret => {
      assert.deepEqual(Buffer.from(vault.open(vault.seal(secret, context), context)), Buffer.from(secret))
    }),
  )
})

test('sealing the same secret twice gives different bytes that do not contain it', () => {
  const secret = Buffer.from('uview1 a rather long and recognisable secret')
  const [one, two] = [vault.seal(secret, context), vault.seal(secret, context)]
  assert.notDeepEqual(one, two)
  assert.ok(!Buffer.from(one).includes(secret.subarray(0, 8)))
})

test('a sealed secret does not open for another table, column or row', () => {
  const sealed = vault.seal(randomBytes(64), context)
  for (const elsewhere of [
    { table: 'webhooks' },
    { column: 'secret' },
    { row: 8 },
    { table: 'viewing', column: 'keys' },
  ])
    assert.throws(() => vault.open(sealed, { ...context, ...elsewhere }))
})

test('a sealed secret does not open with a flipped bit or with bytes removed or added', () => {
  const sealed = vault.seal(randomBytes(64), context)
  fc.assert(
    fc.property(fc.nat(sealed.length * 8 - 1), bit => {
      const flipped = Buffer.from(sealed)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(() => vault.open(flipped, context))
    }),
  )
  for (let length = 0; length < sealed.length; length++)
    assert.throws(() => vault.open(sealed.subarray(0, length), context))
  assert.throws(() => vault.open(Buffer.concat([sealed, Buffer.alloc(1)]), context))
})

test('after a rotation the new key seals and both open; without the old key, its secrets are reported as sealed under an unknown key', () => {
  const old = vault.seal(randomBytes(32), context)
  const next = randomBytes(32)
  const both = createVault([next, key], systemRandom)
  const again = both.seal(both.open(old, context), context)
  const after = createVault([next], systemRandom)
  assert.deepEqual(after.open(again, context), both.open(old, context))
  assert.throws(() => after.open(old, context), UnknownEncryptionKeyError)
})

test('createVault throws without a key', () => {
  assert.throws(() => createVault([], systemRandom), RangeError)
})
