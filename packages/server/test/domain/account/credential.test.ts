import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { credentialHash, formatCredential, isWellFormedCredential } from '../../../src/domain/account/credential.ts'

const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })

test('a credential is its prefix, 43 digits of the secret and 6 of the checksum', () => {
  assert.match(formatCredential('apiKey', randomBytes(32)), /^zg_[0-9A-Za-z]{49}$/)
  assert.match(formatCredential('session', randomBytes(32)), /^zgs_[0-9A-Za-z]{49}$/)
  assert.equal(formatCredential('apiKey', new Uint8Array(32)).slice(3, 46), '0'.repeat(43))
  assert.equal(formatCredential('apiKey', new Uint8Array(32).fill(255)).length, 52)
})

test('every formatted credential is recognised, and only as its own kind', () => {
  fc.assert(
    fc.property(secret, bytes => {
      const key = formatCredential('apiKey', bytes)
      assert.ok(isWellFormedCredential('apiKey', key))
      assert.ok(!isWellFormedCredential('session', key))
    }),
  )
})

test('one changed character is never recognised', () => {
  fc.assert(
    fc.property(secret, fc.nat(51), fc.constantFrom(...'0Aaz9Z_-'), (bytes, at, letter) => {
      const key = formatCredential('apiKey', bytes)
      fc.pre(key[at] !== letter)
      assert.ok(!isWellFormedCredential('apiKey', key.slice(0, at) + letter + key.slice(at + 1)))
    }),
  )
})

test('other text is not recognised', () => {
  const key = formatCredential('apiKey', randomBytes(32))
  for (const text of ['', 'zg_', key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toLowerCase(), key.slice(3)])
    assert.ok(!isWellFormedCredential('apiKey', text), JSON.stringify(text))
})

test('the stored hash is the SHA-256 of the whole text', () => {
  assert.equal(
    Buffer.from(credentialHash('abc')).toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
