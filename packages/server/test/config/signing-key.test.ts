import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base58 } from '@scure/base'
import { ConfigError, loadConfig } from '../../src/config/settings.ts'

const keyOf = (bytes: number, fill = 200) => `ed25519:${base58.encode(new Uint8Array(bytes).fill(fill))}`

function problemWith(key: string): string {
  try {
    loadConfig({ SWAP_API_URL: 'https://swap.example', SWAP_SIGNING_KEY: key })
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.join('\n')
  }
  return ''
}

test('the signing key of the swap provider has 32 bytes, and the error says what it has instead', () => {
  const expected =
    'SWAP_SIGNING_KEY is invalid: it should be an Ed25519 public key: ed25519: and 32 bytes in base58, 43 or 44 characters'
  for (const key of [keyOf(32), 'ed25519:reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc'])
    assert.equal(problemWith(key), '')
  assert.equal(problemWith(keyOf(64)), `${expected}; this one has 64 bytes, as a secret key`)
  assert.equal(problemWith(keyOf(31)), `${expected}; this one has 31 bytes`)
  for (const key of [
    'reYaWhvwu8Jzo3WUM3zhn6VrhuMEF4eADL17qtRVifc',
    'ed25519:0OIl',
    'ed25519:',
    `ed25519:${'1'.repeat(101)}`,
  ])
    assert.equal(problemWith(key), expected, key)
})
