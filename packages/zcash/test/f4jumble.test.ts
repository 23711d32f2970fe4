import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blake2b } from '@noble/hashes/blake2.js'
import fc from 'fast-check'
import { ZcashError } from '../src/errors.ts'
import { f4Jumble, f4JumbleInverse, MAX_JUMBLE_LENGTH } from '../src/f4jumble.ts'
import { bytes, hex, vectorRecords, vectorsMissing } from './vectors.ts'

test('F4Jumble and its inverse give the official bytes', { skip: vectorsMissing }, () => {
  for (const { normal, jumbled } of vectorRecords('f4jumble.json')) {
    assert.equal(hex(f4Jumble(bytes(normal))), jumbled)
    assert.equal(hex(f4JumbleInverse(bytes(jumbled))), normal)
  }
})

test('F4Jumble of long messages gives the official hashes', { skip: vectorsMissing }, () => {
  for (const { length, jumbled_hash } of vectorRecords('f4jumble_long.json')) {
    const message = Uint8Array.from({ length: Number(length) }, (_, i) => i)
    assert.equal(hex(blake2b(f4Jumble(message))), jumbled_hash)
  }
})

test('the inverse restores the message, and one changed bit changes both halves', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 48, maxLength: 300 }), fc.nat(), (message, offset) => {
      const jumbled = f4Jumble(message)
      assert.deepEqual(f4JumbleInverse(jumbled), message)
      jumbled[offset % jumbled.length]! ^= 1
      const changed = f4JumbleInverse(jumbled)
      const half = Math.min(64, message.length >> 1)
      assert.notDeepEqual(changed.subarray(0, half), message.subarray(0, half))
      assert.notDeepEqual(changed.subarray(half), message.subarray(half))
    }),
    { numRuns: 50 },
  )
})

test('lengths outside 48 to 4,194,368 bytes are rejected', () => {
  for (const length of [0, 47, MAX_JUMBLE_LENGTH + 1]) {
    for (const permute of [f4Jumble, f4JumbleInverse]) {
      assert.throws(
        () => permute(new Uint8Array(length)),
        (error: unknown) => error instanceof ZcashError && error.code === 'wrong_length',
      )
    }
  }
})
