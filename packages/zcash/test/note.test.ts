import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { orchardReceiver } from '../src/address.ts'
import { createAction } from '../src/create-action.ts'
import { diversifyHash } from '../src/diversifier.ts'
import type { ZcashErrorCode } from '../src/errors.ts'
import { encodeMemo } from '../src/memo.ts'
import {
  type Action,
  type CompactAction,
  toCompactAction,
  tryDecryptAction,
  tryDecryptCompactAction,
  tryDecryptCompactActions,
} from '../src/note.ts'
import { encodeCompactPlaintext, encrypt, noteEncryptionKey } from '../src/note-cipher.ts'
import { ephemeralSecretKey, extractedNoteCommitment } from '../src/note-secrets.ts'
import { decodePoint, encodePoint, P, Pallas, Q } from '../src/pallas.ts'
import type { ShieldedPool } from '../src/shielded-pool.ts'
import { type IncomingViewingKey, incomingViewingKeyFromBytes, parseViewingKey } from '../src/viewing-key.ts'
import { KEY_FIXTURES } from './fixtures.ts'
import { zcashErrorWith } from './zcash-error.ts'

const POOLS: readonly ShieldedPool[] = ['orchard', 'ironwood']
const keys = KEY_FIXTURES.map(fixture => parseViewingKey(fixture.uivk).orchard!)
const key = keys[0]!
const foreignKey = keys[1]!

const field32 = fc.bigInt({ min: 0n, max: P - 1n }).map(value => numberToBytesLE(value, 32))
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const anyNote = fc.record({
  pool: fc.constantFrom(...POOLS),
  value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  memo: fc.uint8Array({ minLength: 512, maxLength: 512 }),
  rho: field32,
  rseed: bytes32,
})
const anyIndex = fc.bigInt({ min: 0n, max: 2n ** 88n - 1n })

const incomingKey = fc
  .tuple(bytes32, fc.bigInt({ min: 1n, max: P - 1n }))
  .map(([dk, ivk]) => incomingViewingKeyFromBytes(concatBytes(dk, numberToBytesLE(ivk, 32))))

function sample(pool: ShieldedPool, to: IncomingViewingKey = key, value = 123_456n): Action {
  return createAction({
    pool,
    receiver: orchardReceiver(to, 42n),
    value,
    memo: encodeMemo('for the tests'),
    rho: new Uint8Array(32).fill(5),
    rseed: new Uint8Array(32).fill(9),
  })
}

test('a full or compact action decrypts only in its own pool and with its own key', () => {
  fc.assert(
    fc.property(anyNote, incomingKey, anyIndex, (fields, key, index) => {
      const { pool, value, memo, rho, rseed } = fields
      const receiver = orchardReceiver(key, index)
      const action = createAction({ ...fields, receiver })
      const note = { pool, value, receiver, diversifierIndex: index, rseed, rho }
      assert.deepEqual(tryDecryptAction(key, pool, action), { note, memo })
      assert.deepEqual(tryDecryptCompactAction(key, pool, toCompactAction(action)), note)
      const otherPool = pool === 'orchard' ? 'ironwood' : 'orchard'
      assert.equal(tryDecryptAction(key, otherPool, action), undefined)
      assert.equal(tryDecryptCompactAction(key, otherPool, toCompactAction(action)), undefined)
      assert.equal(tryDecryptAction(foreignKey, pool, action), undefined)
      assert.equal(tryDecryptCompactAction(foreignKey, pool, toCompactAction(action)), undefined)
    }),
    { numRuns: 25 },
  )
})

test('a compact action with any one bit flipped does not decrypt', () => {
  const compact = toCompactAction(sample('ironwood'))
  assert.equal(tryDecryptCompactAction(key, 'ironwood', compact)?.value, 123_456n)
  for (const name of ['nullifier', 'cmx', 'ephemeralKey', 'ciphertext'] as const) {
    for (let bit = 0; bit < compact[name].length * 8; bit++) {
      const flipped = { ...compact, [name]: withFlippedBit(compact[name], bit) }
      assert.equal(tryDecryptCompactAction(key, 'ironwood', flipped), undefined, `${name}, bit ${bit}`)
    }
  }
})

test('a full action with one random bit flipped does not decrypt', () => {
  const anyField = fc.constantFrom('nullifier', 'cmx', 'ephemeralKey', 'encCiphertext' as const)
  fc.assert(
    fc.property(fc.constantFrom(...POOLS), anyField, fc.nat(580 * 8), (pool, name, bit) => {
      const action = sample(pool)
      const flipped = { ...action, [name]: withFlippedBit(action[name], bit % (action[name].length * 8)) }
      assert.equal(tryDecryptAction(key, pool, flipped), undefined)
    }),
    { numRuns: 100 },
  )
})

function withFlippedBit(bytes: Uint8Array, bit: number): Uint8Array {
  const flipped = bytes.slice()
  flipped[bit >> 3]! ^= 1 << (bit & 7)
  return flipped
}

/** A note of 1 zat that a dishonest sender encrypts with an ephemeral secret key of its choice. */
function withEphemeralSecret(honest: Action, pool: ShieldedPool, esk: bigint): CompactAction {
  const receiver = orchardReceiver(key, 42n)
  const d = receiver.subarray(0, 11)
  const ephemeralKey = encodePoint(diversifyHash(d).multiply(esk))
  const sharedSecret = encodePoint(decodePoint(receiver.subarray(11))!.multiply(esk))
  const plaintext = encodeCompactPlaintext(pool, { d, value: 1n, rseed: new Uint8Array(32).fill(9) })
  const encCiphertext = encrypt(noteEncryptionKey(sharedSecret, ephemeralKey), concatBytes(plaintext, encodeMemo('')))
  return toCompactAction({ ...honest, ephemeralKey, encCiphertext })
}

test('a note that decrypts but does not match its commitment is rejected', () => {
  const rseed = new Uint8Array(32).fill(9)
  for (const pool of POOLS) {
    const honest = sample(pool, key, 1n)
    const larger = toCompactAction(sample(pool, key, 1_000n))
    assert.equal(
      tryDecryptCompactAction(key, pool, { ...larger, cmx: honest.cmx }),
      undefined,
      'a larger value than committed',
    )
    const otherPool = toCompactAction(sample(pool === 'orchard' ? 'ironwood' : 'orchard', key, 1n))
    assert.equal(
      tryDecryptCompactAction(key, pool, { ...toCompactAction(honest), cmx: otherPool.cmx }),
      undefined,
      'the rcm of the other pool',
    )
    assert.equal(
      tryDecryptCompactAction(key, pool, { ...toCompactAction(honest), nullifier: rseed }),
      undefined,
      'a different ρ',
    )
    const chosenSecret = withEphemeralSecret(honest, pool, 77n)
    assert.equal(tryDecryptCompactAction(key, pool, chosenSecret), undefined, 'an ephemeral key not derived from rseed')
  }
})

/** A note that is consistent with this nullifier, which may be a non-canonical field element. */
function withNullifier(value: bigint): CompactAction {
  const nullifier = numberToBytesLE(value, 32)
  const rseed = new Uint8Array(32).fill(9)
  const receiver = orchardReceiver(key, 42n)
  const gd = encodePoint(diversifyHash(receiver.subarray(0, 11)))
  const pkd = receiver.subarray(11)
  const cmx = extractedNoteCommitment({ pool: 'ironwood', gd, pkd, value: 1n, rho: nullifier, rseed })
  const esk = ephemeralSecretKey(rseed, nullifier)
  return { ...withEphemeralSecret(sample('ironwood'), 'ironwood', esk), nullifier, cmx }
}

test('an action with a non-canonical ephemeral key or nullifier does not decrypt and does not throw', () => {
  const compact = toCompactAction(sample('ironwood'))
  const bad = [new Uint8Array(32), numberToBytesLE(P, 32), new Uint8Array(32).fill(0xff), numberToBytesLE(2n, 32)]
  for (const ephemeralKey of bad) {
    assert.equal(tryDecryptCompactAction(key, 'ironwood', { ...compact, ephemeralKey }), undefined)
    assert.equal(tryDecryptAction(key, 'ironwood', { ...sample('ironwood'), ephemeralKey }), undefined)
  }
  assert.equal(tryDecryptCompactAction(key, 'ironwood', withNullifier(P - 1n))?.value, 1n)
  assert.equal(tryDecryptCompactAction(key, 'ironwood', withNullifier(P)), undefined)
  assert.equal(tryDecryptCompactAction(key, 'ironwood', withNullifier(2n ** 255n - 1n)), undefined)
})

test('a batch gives the same notes as separate calls, with and without a table of epk', () => {
  const actions = [sample('ironwood'), sample('orchard'), sample('ironwood', foreignKey, 7n)].map(toCompactAction)
  const noPoint = { ...actions[0]!, ephemeralKey: new Uint8Array(32) }
  const all = [...actions, noPoint]
  for (const otherKeyCount of [0, 20]) {
    const others = Array.from({ length: otherKeyCount }, (_, i) => ({ ...key, ivk: BigInt(i + 2) }))
    const edges = [1n, P - 1n].map(ivk => ({ ...key, ivk }))
    const batchKeys = [...others, foreignKey, ...edges, key, key]
    for (const pool of POOLS) {
      const expected = all.flatMap((action, actionIndex) =>
        batchKeys.flatMap((batchKey, keyIndex) => {
          const note = tryDecryptCompactAction(batchKey, pool, action)
          return note === undefined ? [] : [{ keyIndex, actionIndex, note }]
        }),
      )
      assert.equal(expected.length, pool === 'ironwood' ? 3 : 2)
      assert.deepEqual(tryDecryptCompactActions(batchKeys, pool, all), expected)
    }
  }
  assert.deepEqual(tryDecryptCompactActions([], 'ironwood', all), [])
  assert.deepEqual(tryDecryptCompactActions(keys, 'ironwood', []), [])
})

test('random bytes of the correct lengths do not decrypt, and the error for a wrong length names the field', () => {
  const compact = fc.record({
    nullifier: bytes32,
    cmx: bytes32,
    ephemeralKey: fc.oneof(
      bytes32,
      fc.bigInt({ min: 1n, max: Q - 1n }).map(k => encodePoint(Pallas.BASE.multiplyUnsafe(k))),
    ),
    ciphertext: fc.uint8Array({ minLength: 52, maxLength: 52 }),
  })
  fc.assert(
    fc.property(compact, fc.constantFrom(...POOLS), (action, pool) => {
      assert.equal(tryDecryptCompactAction(key, pool, action), undefined)
    }),
    { numRuns: 100 },
  )
  const good = toCompactAction(sample('orchard'))
  for (const name of ['nullifier', 'cmx', 'ephemeralKey', 'ciphertext'] as const) {
    for (const length of [0, good[name].length - 1, good[name].length + 1]) {
      assert.throws(() => tryDecryptCompactAction(key, 'orchard', { ...good, [name]: new Uint8Array(length) }), {
        name: 'ZcashError',
        code: 'wrong_length',
        message: new RegExp(name),
      })
    }
  }
  const short = { ...sample('orchard'), encCiphertext: new Uint8Array(579) }
  assert.throws(() => tryDecryptAction(key, 'orchard', short), zcashErrorWith('wrong_length'))
})

test('createAction rejects invalid input with an error that names the field', () => {
  const good = {
    pool: 'ironwood' as const,
    receiver: orchardReceiver(key, 0n),
    value: 1n,
    rho: new Uint8Array(32),
    rseed: new Uint8Array(32),
  }
  const cases: readonly (readonly [object, ZcashErrorCode, RegExp])[] = [
    [{ receiver: new Uint8Array(42) }, 'wrong_length', /receiver/],
    [{ receiver: new Uint8Array(43) }, 'invalid_point', /receiver/],
    [{ value: -1n }, 'out_of_range', /value/],
    [{ value: 2n ** 64n }, 'out_of_range', /value/],
    [{ value: 1 }, 'out_of_range', /value/],
    [{ memo: new Uint8Array(511) }, 'wrong_length', /memo/],
    [{ rho: new Uint8Array(31) }, 'wrong_length', /rho/],
    [{ rho: numberToBytesLE(P, 32) }, 'invalid_scalar', /rho/],
    [{ rseed: new Uint8Array(33) }, 'wrong_length', /rseed/],
    [{ ovk: new Uint8Array(31) }, 'wrong_length', /ovk/],
    [{ cvNet: new Uint8Array(31) }, 'wrong_length', /cvNet/],
    [{ rk: new Uint8Array(31) }, 'wrong_length', /rk/],
  ]
  for (const [change, code, message] of cases) {
    assert.throws(() => createAction({ ...good, ...change }), { name: 'ZcashError', code, message })
  }
  const action = createAction(good)
  assert.equal(tryDecryptAction(key, 'ironwood', action)?.memo[0], 0xf6)
  for (const point of [action.cvNet, action.rk]) assert.ok(decodePoint(point))
  assert.equal(action.outCiphertext.length, 80)
})
