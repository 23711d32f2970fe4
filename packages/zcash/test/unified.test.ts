import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concatBytes } from '@noble/hashes/utils.js'
import { bech32, bech32m } from '@scure/base'
import fc from 'fast-check'
import { orchardReceiver, parseAddress } from '../src/address.ts'
import { ZcashError, type ZcashErrorCode } from '../src/errors.ts'
import { deriveFullViewingKey, deriveOrchardSpendingKey } from '../src/spending-key.ts'
import { decodeUnified, encodeUnified, MAX_UNIFIED_LENGTH, type UnifiedItem } from '../src/unified.ts'
import {
  externalIncomingViewingKey,
  fullViewingKeyToBytes,
  incomingViewingKeyToBytes,
  parseViewingKey,
} from '../src/viewing-key.ts'
import { container, item, paddedContainer } from './encodings.ts'
import { KEY_FIXTURES } from './fixtures.ts'
import { bytes, hex, integer, type VectorRecord, vectorRecords, vectorsMissing } from './vectors.ts'
import { zcashErrorWith } from './zcash-error.ts'

const [fixture] = KEY_FIXTURES
const incoming = parseViewingKey(fixture!.uivk).orchard!
const receiver = orchardReceiver(incoming, 0n)

/** The items of an official row. The tables for addresses and keys differ in the names of the columns only. */
function itemsOf(
  row: VectorRecord,
  columns: readonly (string | undefined)[],
  unknown: readonly [string, string],
): UnifiedItem[] {
  const items = columns.flatMap((column, typecode) =>
    column !== undefined && row[column] !== null ? [{ typecode, data: bytes(row[column]) }] : [],
  )
  const [typecode, data] = unknown
  return row[data] === null ? items : [...items, { typecode: Number(row[typecode]), data: bytes(row[data]) }]
}

test('official unified addresses decode to their receivers and encode back', { skip: vectorsMissing }, () => {
  const columns = ['p2pkh_bytes', 'p2sh_bytes', 'sapling_raw_addr', 'orchard_raw_addr']
  for (const row of vectorRecords('unified_address.json')) {
    const items = itemsOf(row, columns, ['unknown_typecode', 'unknown_bytes'])
    const text = String(row.unified_addr)
    assert.deepEqual(decodeUnified(text), { kind: 'address', network: 'main', items })
    assert.equal(encodeUnified('address', 'main', items.toReversed()), text)
    assert.equal(hex(parseAddress(text).orchard ?? new Uint8Array()), row.orchard_raw_addr ?? '')
  }
})

test('the Orchard receivers of official addresses derive from their seeds', { skip: vectorsMissing }, () => {
  for (const row of vectorRecords('unified_address.json').filter(row => row.orchard_raw_addr !== null)) {
    const sk = deriveOrchardSpendingKey(bytes(row.root_seed), 133, Number(row.account))
    const key = externalIncomingViewingKey(deriveFullViewingKey(sk))
    assert.equal(hex(orchardReceiver(key, integer(row.diversifier_index))), row.orchard_raw_addr)
  }
})

test('official viewing keys decode, derive from their seeds and encode back', { skip: vectorsMissing }, () => {
  for (const [kind, file, letter] of [
    ['ufvk', 'unified_full_viewing_keys.json', 'f'],
    ['uivk', 'unified_incoming_viewing_keys.json', 'i'],
  ] as const) {
    const columns = ['t_key_bytes', undefined, `sapling_${letter}vk_bytes`, `orchard_${letter}vk_bytes`]
    for (const row of vectorRecords(file)) {
      const items = itemsOf(row, columns, [`unknown_${letter}vk_typecode`, `unknown_${letter}vk_bytes`])
      const text = String(row[`unified_${letter}vk`])
      assert.deepEqual(decodeUnified(text), { kind, network: 'main', items })
      assert.equal(encodeUnified(kind, 'main', items), text)
      const { orchard, typecodes } = parseViewingKey(text)
      assert.deepEqual(
        typecodes,
        items.map(item => item.typecode),
      )
      const orchardBytes = row[`orchard_${letter}vk_bytes`]
      if (orchardBytes === null) {
        assert.equal(orchard, undefined)
      } else {
        const full = deriveFullViewingKey(deriveOrchardSpendingKey(bytes(row.root_seed), 133, Number(row.account)))
        const incoming = externalIncomingViewingKey(full)
        assert.equal(
          hex(kind === 'ufvk' ? fullViewingKeyToBytes(full) : incomingViewingKeyToBytes(incoming)),
          orchardBytes,
        )
        assert.deepEqual(orchard, incoming)
      }
    }
  }
})

test('text with one changed, missing or added character is rejected with a message that does not repeat it', () => {
  const { uivk } = fixture!
  fc.assert(
    fc.property(fc.nat(uivk.length - 1), fc.constantFrom('q', 'p', '', 'zz', 'B', ' ', 'é', '1'), (offset, insert) => {
      const changed = uivk.slice(0, offset) + insert + uivk.slice(offset + 1)
      fc.pre(changed !== uivk)
      assert.throws(
        () => parseViewingKey(changed),
        (error: unknown) => error instanceof ZcashError && !error.message.includes(changed.slice(20, 60)),
      )
    }),
    { numRuns: 200 },
  )
})

test('upper case is parsed like lower case, and mixed case is rejected', () => {
  assert.deepEqual(parseViewingKey(fixture!.uivk.toUpperCase()), parseViewingKey(fixture!.uivk))
  const mixed = fixture!.uivk.slice(0, -1) + fixture!.uivk.slice(-1).toUpperCase()
  const letter = mixed === fixture!.uivk ? fixture!.uivk.replace('uivk', 'Uivk') : mixed
  assert.throws(() => parseViewingKey(letter), zcashErrorWith('invalid_encoding'))
})

const orchardItem = Uint8Array.of(3, 43, ...receiver)

test('an encoding that breaks one Revision 0 rule on items is rejected', () => {
  const cases: readonly (readonly [string, ZcashErrorCode, ...Uint8Array[]])[] = [
    ['two Orchard items', 'duplicate_item', orchardItem, orchardItem],
    ['Orchard before Sapling', 'misordered_items', orchardItem, item(2, 43)],
    ['P2PKH and P2SH', 'unsupported_item', item(0, 20), item(1, 20), orchardItem],
    ['P2PKH alone', 'no_shielded_item', item(0, 20), item(0x40, 30)],
    ['P2SH alone', 'no_shielded_item', item(1, 20), item(0x40, 30)],
    ['an unknown item alone', 'no_shielded_item', item(0x40, 40)],
    ['an Orchard item too short', 'wrong_length', item(3, 42)],
    ['an Orchard item too long', 'wrong_length', item(3, 44)],
    ['a Sapling item too short', 'wrong_length', item(2, 42)],
    ['a P2PKH item too long', 'wrong_length', item(0, 21), orchardItem],
    ['must-understand 0xE0', 'unsupported_item', orchardItem, item(0xe0, 4)],
    ['must-understand 0xFC', 'unsupported_item', orchardItem, item(0xfc, 4)],
    ['a truncated item', 'wrong_length', orchardItem, Uint8Array.of(0x40, 5, 1)],
    ['a truncated length', 'wrong_length', orchardItem, Uint8Array.of(0x40)],
    ['a truncated long length', 'wrong_length', orchardItem, Uint8Array.of(0x40, 0xfd, 1)],
    ['a nine-byte length', 'wrong_length', orchardItem, Uint8Array.of(0x40, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['a length past the end', 'wrong_length', orchardItem, Uint8Array.of(0x40, 0xfe, 0xff, 0xff, 0xff, 0x01)],
    ['a length not in its shortest form', 'invalid_encoding', Uint8Array.of(3, 0xfd, 43, 0, ...receiver)],
    ['a typecode not in its shortest form', 'invalid_encoding', Uint8Array.of(0xfd, 3, 0, 43, ...receiver)],
    ['a typecode out of range', 'invalid_encoding', orchardItem, Uint8Array.of(0xfe, 1, 0, 0, 2, 0)],
    ['a trailing byte', 'wrong_length', orchardItem, Uint8Array.of(0)],
    [
      'a pk_d that is not on the curve',
      'invalid_point',
      Uint8Array.of(3, 43, ...receiver.subarray(0, 11), 2, ...new Uint8Array(31)),
    ],
    ['an identity pk_d', 'invalid_point', Uint8Array.of(3, 43, ...receiver.subarray(0, 11), ...new Uint8Array(32))],
  ]
  assert.deepEqual(parseAddress(container('u', orchardItem)).orchard, receiver)
  for (const [name, code, ...parts] of cases) {
    assert.throws(() => parseAddress(container('u', ...parts)), zcashErrorWith(code), name)
  }
})

test('unknown items of any length are ignored', () => {
  for (const typecode of [0x04, 0xbf, 0xc0, 0xdf, 0xfd, 0xffff]) {
    for (const length of [0, 1, 300]) {
      const text = container('utest', concatBytes(orchardItem, item(typecode, length)))
      assert.deepEqual(parseAddress(text), { network: 'test', typecodes: [3, typecode], orchard: receiver })
    }
  }
  const p2shInKey = concatBytes(item(1, 3), Uint8Array.of(3, 64), incomingViewingKeyToBytes(incoming))
  assert.deepEqual(parseViewingKey(container('uivk', p2shInKey)).orchard, incoming)
})

test('a key relabelled for another network is rejected, because the padding must repeat the prefix', () => {
  const key = concatBytes(Uint8Array.of(3, 64), incomingViewingKeyToBytes(incoming))
  assert.equal(parseViewingKey(container('uivktest', key)).network, 'test')
  assert.throws(() => parseViewingKey(paddedContainer('uivktest', 'uivk', key)), zcashErrorWith('invalid_padding'))
  assert.throws(() => parseViewingKey(paddedContainer('uivk', 'uivktest', key)), zcashErrorWith('invalid_padding'))
})

test('Bech32 instead of Bech32m, too few bytes and text that is too long are rejected', () => {
  const words = bech32m.decode(fixture!.uivk as `${string}1${string}`, false).words
  assert.throws(() => decodeUnified(bech32.encode('uivk', words, false)), zcashErrorWith('invalid_checksum'))
  for (const length of [0, 1, 16, 47]) {
    const text = bech32m.encode('u', bech32m.toWords(new Uint8Array(length)), false)
    assert.throws(() => decodeUnified(text), zcashErrorWith('wrong_length'))
  }
  const straddling = bech32m.encode('u', [...bech32m.toWords(new Uint8Array(60)), 1], false)
  assert.throws(() => decodeUnified(straddling), zcashErrorWith('invalid_encoding'))
  assert.throws(() => decodeUnified('u'.repeat(MAX_UNIFIED_LENGTH + 1)), zcashErrorWith('wrong_length'))
  const big = [
    { typecode: 3, data: receiver },
    { typecode: 0x40, data: new Uint8Array(MAX_UNIFIED_LENGTH) },
  ]
  assert.throws(() => encodeUnified('address', 'main', big), zcashErrorWith('wrong_length'))
})

test('any text decodes or is rejected with a ZcashError', () => {
  const body = fc.uint8Array({ minLength: 32, maxLength: 200 })
  const items = fc.array(fc.tuple(fc.integer({ min: 0, max: 260 }), fc.integer({ min: 0, max: 100 })), { maxLength: 4 })
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ maxLength: 100 }).map(rest => `uview1${rest}`),
    fc.tuple(fc.constantFrom('u', 'uviewtest', 'uivkregtest'), body).map(([prefix, bytes]) => container(prefix, bytes)),
    fc
      .tuple(fc.constantFrom('u', 'uview', 'uivk', 'uvf', 'uvi'), items)
      .map(([prefix, list]) =>
        container(
          prefix,
          concatBytes(new Uint8Array(0), ...list.map(([code, length]) => item(code, length)), item(0x3f0, 30)),
        ),
      ),
  )
  fc.assert(
    fc.property(text, text => {
      for (const parse of [decodeUnified, parseViewingKey, parseAddress]) {
        try {
          parse(text)
        } catch (error) {
          assert.ok(error instanceof ZcashError, String(error))
        }
      }
    }),
    { numRuns: 1000 },
  )
})
