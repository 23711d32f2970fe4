import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createVault, UnknownKey } from '../../../src/adapters/crypto/vault.ts'
import { systemRandom } from '../../../src/adapters/system/random.ts'

const key = randomBytes(32)
const vault = createVault([key], systemRandom)
const place = { table: 'viewing_keys', column: 'sealed', row: 7 }

test('what is sealed opens where it was sealed, whatever it is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), secret => {
      assert.deepEqual(Buffer.from(vault.open(vault.seal(secret, place), place)), Buffer.from(secret))
    }),
  )
})

test('the same secret is never sealed to the same bytes, and does not show in them', () => {
  const secret = Buffer.from('uview1 a rather long and recognisable secret')
  const [one, two] = [vault.seal(secret, place), vault.seal(secret, place)]
  assert.notDeepEqual(one, two)
  assert.ok(!Buffer.from(one).includes(secret.subarray(0, 8)))
})

test('moved to another table, column or row it does not open', () => {
  const sealed = vault.seal(randomBytes(64), place)
  for (const elsewhere of [
    { table: 'webhooks' },
    { column: 'secret' },
    { row: 8 },
    { table: 'viewing', column: 'keys' },
  ])
    assert.throws(() => vault.open(sealed, { ...place, ...elsewhere }))
})

test('with one bit flipped, a byte less or a byte more it does not open', () => {
  const sealed = vault.seal(randomBytes(64), place)
  fc.assert(
    fc.property(fc.nat(sealed.length * 8 - 1), bit => {
      const flipped = Buffer.from(sealed)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      assert.throws(() => vault.open(flipped, place))
    }),
  )
  for (let length = 0; length < sealed.length; length++)
    assert.throws(() => vault.open(sealed.subarray(0, length), place))
  assert.throws(() => vault.open(Buffer.concat([sealed, Buffer.alloc(1)]), place))
})

test('rotation: the new key seals, both open, and without the old one what it sealed is told to be of another key', () => {
  const old = vault.seal(randomBytes(32), place)
  const next = randomBytes(32)
  const both = createVault([next, key], systemRandom)
  const again = both.seal(both.open(old, place), place)
  const after = createVault([next], systemRandom)
  assert.deepEqual(after.open(again, place), both.open(old, place))
  assert.throws(() => after.open(old, place), UnknownKey)
})

test('a vault without a key is refused', () => {
  assert.throws(() => createVault([], systemRandom), RangeError)
})
