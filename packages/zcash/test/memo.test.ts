import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeMemo, encodeMemo } from '../src/memo.ts'
import { zcashErrorWith } from './zcash-error.ts'

function memo(...start: number[]): Uint8Array {
  const bytes = new Uint8Array(512)
  bytes.set(start)
  return bytes
}

test('a memo decodes to the kind that ZIP 302 assigns to its first byte', () => {
  assert.deepEqual(decodeMemo(memo(0xf6)), { kind: 'empty' })
  assert.deepEqual(decodeMemo(memo()), { kind: 'text', text: '' })
  assert.deepEqual(decodeMemo(memo(0x68, 0x69)), { kind: 'text', text: 'hi' })
  assert.deepEqual(decodeMemo(memo(0x68, 0, 0x69)), { kind: 'text', text: 'h\0i' })
  assert.deepEqual(decodeMemo(memo(0xef, 0xbb, 0xbf, 0x21)), { kind: 'text', text: '\ufeff!' })
  assert.deepEqual(decodeMemo(new Uint8Array(512).fill(0x61)), { kind: 'text', text: 'a'.repeat(512) })
  const bytes = [memo(0xf6, 1), memo(0xf5), memo(0xf7), memo(0xfe), memo(0xff), memo(0x68, 0xff), memo(0xf4, 0xbf)]
  for (const value of bytes) assert.deepEqual(decodeMemo(value), { kind: 'bytes', bytes: value })
})

test('text survives encoding and decoding', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 128 }), text => {
      fc.pre(!text.endsWith('\0'))
      assert.deepEqual(decodeMemo(encodeMemo(text)), text === '' ? { kind: 'empty' } : { kind: 'text', text })
    }),
  )
})

test('any 512 bytes decode, and other lengths are rejected', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 512, maxLength: 512 }), bytes => {
      assert.match(decodeMemo(bytes).kind, /^(empty|text|bytes)$/)
    }),
  )
  for (const length of [0, 511, 513])
    assert.throws(() => decodeMemo(new Uint8Array(length)), zcashErrorWith('wrong_length'))
})

test('text that is too long or that the encoding would change is rejected', () => {
  assert.equal(encodeMemo('é'.repeat(256)).length, 512)
  assert.throws(() => encodeMemo(`${'é'.repeat(256)}e`), zcashErrorWith('memo_too_long'))
  assert.throws(() => encodeMemo('\ud800'), zcashErrorWith('invalid_memo'))
  assert.throws(() => encodeMemo('end\0'), zcashErrorWith('invalid_memo'))
})
