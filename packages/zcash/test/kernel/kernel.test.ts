import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { encodeAddress, orchardReceiver } from '../../src/address.ts'
import { deriveDiversifier, diversifyHash } from '../../src/diversifier.ts'
import { f4Jumble, MIN_JUMBLE_LENGTH } from '../../src/f4jumble.ts'
import { createKernel } from '../../src/kernel/kernel.ts'
import { Machine } from '../../src/kernel/machine.ts'
import { NETWORKS } from '../../src/network.ts'
import { type CompactAction, type DecryptedAction, tryDecryptCompactActions } from '../../src/note.ts'
import { encodePoint, P, Q } from '../../src/pallas.ts'
import type { ShieldedPool } from '../../src/shielded-pool.ts'
import { type IncomingViewingKey, incomingViewingKeyFromBytes } from '../../src/viewing-key.ts'
import { bytes, hex, integer, vectorRecords, vectorsMissing } from '../vectors.ts'
import { zcashErrorWith } from '../zcash-error.ts'
import { pay, randomBytes, randomKey, WASM } from './harness.ts'

const kernel = createKernel(WASM)

/** Both paths find this. */
function found(keys: readonly IncomingViewingKey[], pool: ShieldedPool, actions: readonly CompactAction[]) {
  const notes = kernel.tryDecryptCompactActions(keys, pool, actions)
  assert.deepEqual(notes, tryDecryptCompactActions(keys, pool, actions))
  return notes
}

const places = (notes: readonly DecryptedAction[]) =>
  notes.map(({ actionIndex, keyIndex }) => `${actionIndex}:${keyIndex}`)

for (const pool of ['orchard', 'ironwood'] as const) {
  test(`${pool}: finds each note of each key, and those of duplicate keys, in order`, () => {
    for (const count of [1, 2, 3, 17, 40]) {
      const keys = Array.from({ length: count }, randomKey)
      keys.push(keys[0]!)
      const actions = [pay(keys[0]!, pool), pay(randomKey(), pool), pay(keys[count - 1]!, pool, 2n ** 64n - 1n)]
      const expected = keys.flatMap((key, i) => (key === keys[0] ? [`0:${i}`] : []))
      const last = keys.flatMap((key, i) => (key === keys[count - 1] ? [`2:${i}`] : []))
      assert.deepEqual(places(found(keys, pool, actions)), [...expected, ...last])
    }
  })

  test(`${pool}: damaged actions are no notes, and hide no others`, () => {
    const keys = [randomKey(), randomKey()]
    const other = pool === 'orchard' ? 'ironwood' : 'orchard'
    const good = () => pay(keys[1]!, pool)
    const damaged: CompactAction[] = [pay(keys[0]!, other)]
    for (const field of ['nullifier', 'cmx', 'ephemeralKey', 'ciphertext'] as const) {
      for (const at of [0, 31]) {
        const action = good()
        damaged.push({ ...action, [field]: action[field].with(at, action[field][at]! ^ 1) })
      }
    }
    const notPoints = [
      new Uint8Array(32),
      new Uint8Array(32).fill(255),
      encodePoint(diversifyHash(new Uint8Array(11))).fill(1),
    ]
    for (const ephemeralKey of notPoints) damaged.push({ ...good(), ephemeralKey })
    const actions = damaged.flatMap(action => [action, good()])
    assert.deepEqual(
      places(found(keys, pool, actions)),
      damaged.map((_, i) => `${2 * i + 1}:1`),
    )
  })
}

test('keys with special scalars find their notes', () => {
  const keys = [1n, 2n, 3n, 4n, P - 1n, P - 2n, 1n << 127n, Q >> 1n].map(ivk => ({ dk: randomBytes(32), ivk }))
  const notes = found(
    keys,
    'ironwood',
    keys.map(key => pay(key, 'ironwood')),
  )
  assert.deepEqual(
    places(notes),
    keys.map((_, i) => `${i}:${i}`),
  )
})

test('nothing is found without keys or actions', () => {
  assert.deepEqual(found([], 'orchard', [pay(randomKey(), 'orchard')]), [])
  assert.deepEqual(found([randomKey()], 'orchard', []), [])
})

test('keys that are added and removed between calls take effect', () => {
  const [first, second] = [randomKey(), randomKey()]
  const actions = [pay(first, 'ironwood'), pay(second, 'ironwood')]
  assert.deepEqual(places(found([first], 'ironwood', actions)), ['0:0'])
  assert.deepEqual(places(found([first, second], 'ironwood', actions)), ['0:0', '1:1'])
  assert.deepEqual(places(found([second], 'ironwood', actions)), ['1:0'])
  assert.deepEqual(places(found([second, first], 'ironwood', actions)), ['0:1', '1:0'])
})

test('an action with a field of the wrong length is an error', () => {
  const action = pay(randomKey(), 'orchard')
  const short = { ...action, ciphertext: action.ciphertext.subarray(1) }
  const call = () => kernel.tryDecryptCompactActions([randomKey()], 'orchard', [action, short])
  assert.throws(call, zcashErrorWith('wrong_length'))
})

test('more actions than fit in one batch are all scanned', () => {
  const key = randomKey()
  const foreign = pay(randomKey(), 'ironwood')
  const actions = Array.from({ length: 4_200 }, () => foreign)
  for (const at of [0, 4_095, 4_096, 4_199]) actions[at] = pay(key, 'ironwood')
  assert.deepEqual(places(kernel.tryDecryptCompactActions([key], 'ironwood', actions)), [
    '0:0',
    '4095:0',
    '4096:0',
    '4199:0',
  ])
})

test('a sample that differs from the plain path is an error', () => {
  const chosen: number[] = []
  const sampled = createKernel(WASM, count => {
    chosen.push(count)
    return count - 1
  })
  const keys = [randomKey(), randomKey(), randomKey()]
  const actions = [pay(keys[0]!, 'ironwood')]
  assert.deepEqual(places(sampled.tryDecryptCompactActions(keys, 'ironwood', actions)), ['0:0'])
  assert.deepEqual(chosen, [3])
  // A key that changes after it was recoded stands for a kernel that computes with wrong digits.
  const mutable = keys as unknown as { ivk: bigint }[]
  mutable[2]!.ivk += 1n
  assert.throws(
    () => sampled.tryDecryptCompactActions(keys, 'ironwood', actions),
    /differs from that of the plain path/,
  )
})

test('derives the receivers of the plain path, from the first index to the last one', () => {
  const end = 2n ** 88n
  const keys = [randomKey(), { dk: randomBytes(32), ivk: 1n }, { dk: randomBytes(32), ivk: P - 1n }]
  for (const key of keys) {
    for (const [first, count] of [
      [0n, 1],
      [0n, 7],
      [2n ** 44n - 3n, 6],
      [end - 5n, 5],
    ] as const) {
      const expected = Array.from({ length: count }, (_, i) => hex(orchardReceiver(key, first + BigInt(i))))
      assert.deepEqual(kernel.orchardReceivers(key, first, count).map(hex), expected)
    }
  }
  for (const [first, count] of [
    [-1n, 1],
    [end, 1],
    [end - 1n, 2],
  ] as const) {
    assert.throws(() => kernel.orchardReceivers(keys[0]!, first, count), zcashErrorWith('out_of_range'))
  }
})

test('derives more receivers than fit in one batch', () => {
  const key = randomKey()
  const receivers = kernel.orchardReceivers(key, 10n, 2_050)
  for (const i of [0, 2_047, 2_048, 2_049]) assert.equal(hex(receivers[i]!), hex(orchardReceiver(key, 10n + BigInt(i))))
})

test('derives and hashes diversifiers as the plain path does', () => {
  const machine = new Machine(WASM)
  for (let i = 0; i < 40; i++) {
    const dk = randomBytes(32)
    const random = bytesToNumberLE(randomBytes(10))
    for (const first of [0n, 2n ** 44n - 2n, 2n ** 64n - 2n, 2n ** 88n - 5n, random, random << 8n]) {
      const derived = machine.deriveDiversifiers(dk, first, 5).map(hex)
      assert.deepEqual(
        derived,
        derived.map((_, i) => hex(deriveDiversifier(dk, first + BigInt(i)))),
      )
    }
  }
  const diversifiers = Array.from({ length: 101 }, () => randomBytes(11))
  machine.hashDiversifiers(diversifiers)
  const points = new Float64Array(machine.bytes(machine.at.POINTS, 101 * 80).slice().buffer)
  const coordinate = (at: number) => {
    const value = Array.from(points.subarray(at, at + 5)).reduceRight((sum, limb) => (sum << 51n) + BigInt(limb), 0n)
    return ((value % P) + P) % P
  }
  for (const [i, d] of diversifiers.entries()) {
    assert.deepEqual({ x: coordinate(10 * i), y: coordinate(10 * i + 5) }, diversifyHash(d).toAffine())
  }
})

test('jumbles as the plain path does, and encodes the same addresses', () => {
  const machine = new Machine(WASM)
  for (let length = MIN_JUMBLE_LENGTH; length <= 64; length++) {
    for (const count of [1, 2, 5]) {
      const messages = Array.from({ length: count }, () => randomBytes(length))
      assert.deepEqual(machine.jumble(messages).map(hex), messages.map(f4Jumble).map(hex))
    }
  }
  for (const network of NETWORKS) {
    const receivers = Array.from({ length: 7 }, () => randomBytes(43))
    assert.deepEqual(
      kernel.encodeAddresses(network, receivers),
      receivers.map(receiver => encodeAddress(network, receiver)),
    )
  }
  assert.deepEqual(kernel.encodeAddresses('main', []), [])
  assert.throws(() => kernel.encodeAddresses('main', [randomBytes(42)]), zcashErrorWith('wrong_length'))
})

test('encodes more addresses than fit in one batch', () => {
  const receivers = Array.from({ length: 4_099 }, () => randomBytes(43))
  const addresses = kernel.encodeAddresses('test', receivers)
  for (const i of [0, 4_095, 4_096, 4_098]) assert.equal(addresses[i], encodeAddress('test', receivers[i]!))
})

test('decrypts the official note encryption vectors', { skip: vectorsMissing }, () => {
  const records = vectorRecords('orchard_note_encryption.json')
  assert.ok(records.length > 0)
  for (const row of records) {
    const key = incomingViewingKeyFromBytes(bytes(row.incoming_viewing_key))
    const action = {
      nullifier: bytes(row.rho),
      cmx: bytes(row.cmx),
      ephemeralKey: bytes(row.ephemeral_key),
      ciphertext: bytes(row.c_enc).subarray(0, 52),
    }
    const [match] = found([key, randomKey()], 'orchard', [action])
    assert.equal(match?.note.value, integer(row.v))
  }
})
