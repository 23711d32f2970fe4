import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { diversifierIndex, encodeAddress, orchardReceiver, parseAddress } from '../src/address.ts'
import { P, Q } from '../src/pallas.ts'
import {
  deriveChildKey,
  deriveFullViewingKey,
  deriveMasterKey,
  deriveOrchardSpendingKey,
  encodeFullViewingKey,
} from '../src/spending-key.ts'
import {
  encodeIncomingViewingKey,
  externalIncomingViewingKey,
  externalOutgoingViewingKey,
  fullViewingKeyFromBytes,
  fullViewingKeyToBytes,
  incomingViewingKeyFromBytes,
  incomingViewingKeyToBytes,
  internalIncomingViewingKey,
  internalOutgoingViewingKey,
  parseViewingKey,
} from '../src/viewing-key.ts'
import { FIXTURE_INDICES, KEY_FIXTURES } from './fixtures.ts'
import { bytes, hex, type VectorRecord, vectorRecords, vectorsMissing } from './vectors.ts'
import { zcashErrorWith } from './zcash-error.ts'

/** Every key component under the names of the official vectors. */
function components(sk: Uint8Array): VectorRecord {
  const key = deriveFullViewingKey(sk)
  const external = externalIncomingViewingKey(key)
  const internal = internalIncomingViewingKey(key)
  const receiver = orchardReceiver(external, 0n)
  const fields = fullViewingKeyToBytes(key)
  return {
    ak: hex(fields.subarray(0, 32)),
    nk: hex(fields.subarray(32, 64)),
    rivk: hex(fields.subarray(64)),
    ivk: hex(numberToBytesLE(external.ivk, 32)),
    ovk: hex(externalOutgoingViewingKey(key)),
    dk: hex(external.dk),
    default_d: hex(receiver.subarray(0, 11)),
    default_pk_d: hex(receiver.subarray(11)),
    internal_ivk: hex(numberToBytesLE(internal.ivk, 32)),
    internal_ovk: hex(internalOutgoingViewingKey(key)),
    internal_dk: hex(internal.dk),
  }
}

for (const name of ['orchard_key_components.json', 'orchard_keys_with_qr.json']) {
  test(`key components equal the official ones (${name})`, { skip: vectorsMissing }, () => {
    for (const row of vectorRecords(name)) {
      const actual = components(bytes(row.sk))
      assert.deepEqual(actual, Object.fromEntries(Object.keys(actual).map(column => [column, row[column]])))
    }
  })
}

test('ZIP 32 derivation gives the official keys', { skip: vectorsMissing }, () => {
  let key = deriveMasterKey(Uint8Array.from({ length: 32 }, (_, i) => i))
  let header = new Uint8Array(9)
  for (const [depth, row] of vectorRecords('orchard_zip32.json').entries()) {
    assert.equal(hex(key.sk), row.sk)
    assert.equal(hex(key.chainCode), row.c)
    assert.equal(hex(concatBytes(header, key.chainCode, key.sk)), row.xsk)
    const personalization = new TextEncoder().encode('ZcashOrchardFVFP')
    const fingerprint = blake2b(fullViewingKeyToBytes(deriveFullViewingKey(key.sk)), { dkLen: 32, personalization })
    assert.equal(hex(fingerprint), row.fp)
    header = concatBytes(Uint8Array.of(depth + 1), fingerprint.subarray(0, 4), numberToBytesLE(2 ** 31 + depth + 1, 4))
    key = deriveChildKey(key, depth + 1)
  }
})

test('the seed of each fixture gives its keys, addresses and encodings', () => {
  for (const fixture of KEY_FIXTURES) {
    const sk = deriveOrchardSpendingKey(bytes(fixture.seed), fixture.coinType, fixture.account)
    assert.equal(hex(sk), fixture.sk)
    assert.deepEqual(components(sk), fixture.components)
    const key = deriveFullViewingKey(sk)
    assert.equal(encodeFullViewingKey(key, fixture.network), fixture.ufvk)
    const incoming = externalIncomingViewingKey(key)
    assert.equal(encodeIncomingViewingKey(incoming, fixture.network), fixture.uivk)
    for (const [i, index] of FIXTURE_INDICES.entries()) {
      const address = fixture.addresses[i]!
      assert.equal(encodeAddress(fixture.network, orchardReceiver(incoming, index)), address)
      const receiver = parseAddress(address).orchard!
      assert.equal(diversifierIndex(incoming, receiver.subarray(0, 11)), index)
    }
    for (const text of [fixture.ufvk, fixture.uivk]) {
      const parsed = parseViewingKey(text)
      assert.deepEqual(parsed.orchard, incoming)
      assert.equal(parsed.network, fixture.network)
      assert.deepEqual(parsed.typecodes, [3])
    }
  }
})

const [fixture] = KEY_FIXTURES
const key = parseViewingKey(fixture!.uivk).orchard!

test('every diversifier index has an address from which it is recovered', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 88n - 1n }), index => {
      const receiver = orchardReceiver(key, index)
      assert.equal(receiver.length, 43)
      assert.equal(diversifierIndex(key, receiver.subarray(0, 11)), index)
      assert.deepEqual(parseAddress(encodeAddress('regtest', receiver)), {
        network: 'regtest',
        typecodes: [3],
        orchard: receiver,
      })
    }),
    { numRuns: 20, examples: [[0n], [2n ** 88n - 1n]] },
  )
})

test('a diversifier index outside 0 to 2^88 − 1 is rejected', () => {
  assert.throws(() => orchardReceiver(key, -1n), zcashErrorWith('out_of_range'))
  assert.throws(() => orchardReceiver(key, 2n ** 88n), zcashErrorWith('out_of_range'))
  assert.throws(() => diversifierIndex(key, new Uint8Array(10)), zcashErrorWith('wrong_length'))
  assert.throws(() => encodeAddress('main', new Uint8Array(42)), zcashErrorWith('wrong_length'))
})

test('an incoming viewing key must be 1 to p − 1', () => {
  const withIvk = (ivk: bigint) => concatBytes(new Uint8Array(32), numberToBytesLE(ivk, 32))
  for (const ivk of [0n, P, 2n ** 256n - 1n])
    assert.throws(() => incomingViewingKeyFromBytes(withIvk(ivk)), zcashErrorWith('invalid_key'))
  for (const ivk of [1n, P - 1n])
    assert.deepEqual(incomingViewingKeyToBytes(incomingViewingKeyFromBytes(withIvk(ivk))), withIvk(ivk))
  assert.throws(() => incomingViewingKeyFromBytes(new Uint8Array(63)), zcashErrorWith('wrong_length'))
})

test('a full viewing key must have a canonical ak on the curve, nk below p and rivk below q', () => {
  const good = fullViewingKeyToBytes(deriveFullViewingKey(bytes(fixture!.sk)))
  const withField = (offset: number, value: bigint) => {
    const changed = good.slice()
    changed.set(numberToBytesLE(value, 32), offset)
    return changed
  }
  assert.deepEqual(fullViewingKeyToBytes(fullViewingKeyFromBytes(good)), good)
  assert.throws(() => fullViewingKeyFromBytes(good.subarray(1)), zcashErrorWith('wrong_length'))
  const signed = good.slice()
  signed[31]! |= 0x80
  // x = 0 and x = 2 are not on the curve.
  const bad = [signed, withField(0, 0n), withField(0, 2n), withField(0, P), withField(32, P), withField(64, Q)]
  for (const changed of bad) assert.throws(() => fullViewingKeyFromBytes(changed), zcashErrorWith('invalid_key'))
  assert.equal(fullViewingKeyFromBytes(withField(32, P - 1n)).nk, P - 1n)
  assert.equal(fullViewingKeyFromBytes(withField(64, Q - 1n)).rivk, Q - 1n)
})

test('any bytes decode to a key that encodes to the same bytes, or are rejected', () => {
  const anyKey = fc
    .uint8Array({ minLength: 96, maxLength: 96 })
    .map(bytes => bytes.map((byte, i) => (i % 32 === 31 ? byte >> 2 : byte)))
  let keys = 0
  fc.assert(
    fc.property(anyKey, bytes => {
      try {
        assert.deepEqual(fullViewingKeyToBytes(fullViewingKeyFromBytes(bytes)), bytes)
        keys++
      } catch (error) {
        assert.ok(zcashErrorWith('invalid_key')(error), String(error))
      }
    }),
  )
  assert.ok(keys > 10, `only ${keys} keys`)
})

test('seeds and key indexes out of range are rejected', () => {
  for (const length of [0, 31, 253])
    assert.throws(() => deriveMasterKey(new Uint8Array(length)), zcashErrorWith('invalid_seed'))
  for (const length of [32, 252]) assert.equal(deriveMasterKey(new Uint8Array(length)).sk.length, 32)
  const seed = new Uint8Array(32)
  for (const account of [-1, 0.5, 2 ** 31]) {
    assert.throws(() => deriveOrchardSpendingKey(seed, 133, account), zcashErrorWith('out_of_range'))
  }
  assert.equal(deriveOrchardSpendingKey(seed, 133, 2 ** 31 - 1).length, 32)
  assert.throws(() => deriveFullViewingKey(new Uint8Array(31)), zcashErrorWith('wrong_length'))
})
