import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concatBytes } from '@noble/hashes/utils.js'
import { bech32m } from '@scure/base'
import fc from 'fast-check'
import { encodeAddress, orchardReceiver, parseAddress } from '../src/address.ts'
import type { ZcashErrorCode } from '../src/errors.ts'
import { f4Jumble } from '../src/f4jumble.ts'
import { NETWORKS } from '../src/network.ts'
import { deriveFullViewingKey, deriveOrchardSpendingKey, encodeFullViewingKey } from '../src/spending-key.ts'
import { decodeUnified, encodeUnified, type UnifiedItem } from '../src/unified.ts'
import {
  encodeIncomingViewingKey,
  externalIncomingViewingKey,
  fullViewingKeyToBytes,
  incomingViewingKeyToBytes,
  type KeyExpiry,
  parseViewingKey,
} from '../src/viewing-key.ts'
import { container, item } from './encodings.ts'
import { bytes, hex, integer, type VectorRecord, vectorRecords, vectorsMissing } from './vectors.ts'

const full = deriveFullViewingKey(deriveOrchardSpendingKey(new Uint8Array(32).fill(5), 1, 0))
const incoming = externalIncomingViewingKey(full)

function littleEndian(value: bigint, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn))
}

/** The expected items of the UFVK or UIVK of an official row. */
function expectedItems(row: VectorRecord, columns: readonly string[]): UnifiedItem[] {
  const keys = columns.flatMap((column, typecode) =>
    row[column] === null ? [] : [{ typecode, data: bytes(row[column]) }],
  )
  const height = row.expiry_height === null ? [] : [littleEndian(integer(row.expiry_height), 4)]
  const time = row.expiry_time === null ? [] : [littleEndian(integer(row.expiry_time), 8)]
  return [...keys, ...height.map(data => ({ typecode: 0xe0, data })), ...time.map(data => ({ typecode: 0xe1, data }))]
}

function expectedExpiry({ expiry_height: height, expiry_time: time }: VectorRecord): KeyExpiry | undefined {
  if (height === null && time === null) return undefined
  return { ...(height !== null && { height: Number(height) }), ...(time !== null && { time: integer(time) }) }
}

test('official Revision 2 viewing keys decode to the official components and encode back', {
  skip: vectorsMissing,
}, () => {
  const rows = vectorRecords('unified_viewing_keys_r2.json')
  assert.equal(rows.length, 20)
  const kinds = [
    ['ufvk', 'unified_fvk', ['t_p2pkh_fvk_bytes', 'p2sh_fvk_bytes', 'sapling_fvk_bytes', 'orchard_fvk_bytes']],
    ['uivk', 'unified_ivk', ['t_p2pkh_ivk_bytes', 'p2sh_ivk_bytes', 'sapling_ivk_bytes', 'orchard_ivk_bytes']],
  ] as const
  let withOrchard = 0
  for (const [i, row] of rows.entries()) {
    for (const [kind, column, columns] of kinds) {
      const text = String(row[column])
      const items = expectedItems(row, columns)
      assert.deepEqual(decodeUnified(text), { kind, network: 'main', revision: 2, items }, `${kind} ${i}`)
      assert.equal(encodeUnified(kind, 'main', items.toReversed(), 2), text)
      const { orchard, ...rest } = parseViewingKey(text)
      const expiry = expectedExpiry(row)
      const typecodes = items.map(item => item.typecode)
      assert.deepEqual(rest, { kind, network: 'main', typecodes, ...(expiry && { expiry }) }, `${kind} ${i}`)
      assert.equal(orchard === undefined, row.orchard_ivk_bytes === null)
      if (!orchard) continue
      withOrchard++
      const derived = deriveFullViewingKey(deriveOrchardSpendingKey(bytes(row.root_seed), 133, Number(row.account)))
      assert.deepEqual(orchard, externalIncomingViewingKey(derived))
      assert.equal(hex(incomingViewingKeyToBytes(orchard)), row.orchard_ivk_bytes)
      assert.equal(hex(orchardReceiver(orchard, integer(row.diversifier_index))), row.orchard_raw_addr)
    }
  }
  assert.ok(withOrchard > 20)
})

test('official Revision 2 addresses are rejected with a message that says what to use instead', {
  skip: vectorsMissing,
}, () => {
  const addresses = [
    ...vectorRecords('unified_address_r2.json').map(row => row.unified_addr),
    ...vectorRecords('unified_viewing_keys_r2.json').map(row => row.derived_ua),
  ].map(String)
  assert.equal(addresses.length, 80)
  for (const text of addresses) {
    for (const parse of [decodeUnified, parseViewingKey, parseAddress]) {
      assert.throws(() => parse(text), {
        name: 'ZcashError',
        code: 'unsupported_revision',
        message: /Revision 2 address; .*Revision 0 \(u1….*uview1…, uivk1…, uvf1… or uvi1…/,
      })
    }
  }
})

test('a Revision 2 key is parsed for every network, which its prefix gives', () => {
  const suffixes = { main: '', test: 'test', regtest: 'regtest' }
  for (const network of NETWORKS) {
    for (const expiry of [{}, { height: 3_500_000 }, { time: 1_900_000_000n }, { height: 0, time: 2n ** 64n - 1n }]) {
      const ufvk = encodeFullViewingKey(full, network, expiry)
      const uivk = encodeIncomingViewingKey(incoming, network, expiry)
      assert.ok(ufvk.startsWith(`uvf${suffixes[network]}1`), ufvk.slice(0, 12))
      assert.ok(uivk.startsWith(`uvi${suffixes[network]}1`), uivk.slice(0, 12))
      for (const [kind, text] of [
        ['ufvk', ufvk],
        ['uivk', uivk],
      ] as const) {
        const { typecodes, ...rest } = parseViewingKey(text)
        const expectedFields = Object.keys(expiry).length > 0 ? { expiry } : {}
        assert.deepEqual(rest, { kind, network, orchard: incoming, ...expectedFields })
        assert.deepEqual(typecodes, [3, ...('height' in expiry ? [0xe0] : []), ...('time' in expiry ? [0xe1] : [])])
        assert.deepEqual(parseViewingKey(text.toUpperCase()), parseViewingKey(text))
        assert.throws(() => parseAddress(text), { code: 'wrong_kind', message: /is a viewing key/ })
      }
    }
  }
})

test('items encoded in Revision 2 decode to the same items', () => {
  const optionalItem = (typecode: number, min: number, max: number) =>
    fc
      .option(fc.uint8Array({ minLength: min, maxLength: max }), { nil: undefined })
      .map(data => (data === undefined ? [] : [{ typecode, data: Uint8Array.from(data) }]))
  const lengths = { ufvk: { sapling: 128, orchard: 96 }, uivk: { sapling: 64, orchard: 64 } }
  const sample = fc.constantFrom('ufvk' as const, 'uivk' as const).chain(kind =>
    fc.record({
      kind: fc.constant(kind),
      network: fc.constantFrom(...NETWORKS),
      items: fc
        .tuple(
          fc.oneof(optionalItem(0, 65, 65), optionalItem(1, 1, 300)),
          optionalItem(2, lengths[kind].sapling, lengths[kind].sapling),
          optionalItem(3, lengths[kind].orchard, lengths[kind].orchard),
          optionalItem(0x40, 0, 300),
          optionalItem(0xc0, 0, 40),
          optionalItem(0xe0, 4, 4),
          optionalItem(0xe1, 8, 8),
          optionalItem(0xfd, 40, 60),
        )
        .map(items => items.flat())
        .filter(items => items.some(({ typecode, data }) => (typecode < 0xc0 || typecode > 0xfc) && data.length > 39)),
    }),
  )
  fc.assert(
    fc.property(sample, ({ kind, network, items }) => {
      const text = encodeUnified(kind, network, items, 2)
      assert.deepEqual(decodeUnified(text), { kind, network, revision: 2, items })
    }),
    { numRuns: 200 },
  )
  assert.throws(() => encodeUnified('address', 'main', [{ typecode: 3, data: new Uint8Array(43) }], 2), {
    code: 'unsupported_revision',
  })
  for (const expiry of [{ height: -1 }, { height: 2 ** 32 }, { height: 1.5 }, { time: -1n }, { time: 2n ** 64n }]) {
    assert.throws(() => encodeIncomingViewingKey(incoming, 'main', expiry), { code: 'out_of_range' })
  }
})

const orchardItem = concatBytes(Uint8Array.of(3, 64), incomingViewingKeyToBytes(incoming))

test('an encoding that breaks one Revision 2 rule on items is rejected', () => {
  const cases: readonly (readonly [string, ZcashErrorCode, RegExp, ...Uint8Array[]])[] = [
    ['an unknown MUST-understand item', 'unsupported_item', /MUST-understand item \(type 0xe2\)/, item(0xe2, 4)],
    ['the last MUST-understand typecode', 'unsupported_item', /MUST-understand item \(type 0xfc\)/, item(0xfc, 0)],
    ['an expiry height of three bytes', 'wrong_length', /wrong length/, item(0xe0, 3)],
    ['an expiry time of four bytes', 'wrong_length', /wrong length/, item(0xe1, 4)],
    ['two expiry heights', 'duplicate_item', /two items of the same type/, item(0xe0, 4), item(0xe0, 4)],
    ['time before height', 'misordered_items', /wrong order/, item(0xe1, 8), item(0xe0, 4)],
  ]
  assert.deepEqual(parseViewingKey(container('uvi', orchardItem)).orchard, incoming)
  for (const [name, code, message, ...parts] of cases) {
    assert.throws(() => parseViewingKey(container('uvi', orchardItem, ...parts)), { code, message }, name)
  }
  const both = container('uvi', item(0, 65), item(1, 40), orchardItem)
  assert.throws(() => parseViewingKey(both), { code: 'unsupported_item', message: /P2PKH and P2SH/ })
  assert.throws(() => parseViewingKey(container('uvi', item(0xc0, 40), item(0xe0, 4))), {
    code: 'no_key_item',
    message: /contains no key/,
  })
})

test('a Revision 2 key without shielded items is parsed and has no Orchard key', () => {
  for (const [typecode, length] of [
    [0, 65],
    [1, 90],
  ] as const) {
    const text = container('uviregtest', item(typecode, length), item(0xe0, 4))
    assert.deepEqual(parseViewingKey(text), {
      kind: 'uivk',
      network: 'regtest',
      typecodes: [typecode, 0xe0],
      expiry: { height: 0x07070707 },
    })
  }
})

test('an expiry in a Revision 0 key is rejected, because it requires Revision 2', () => {
  for (const typecode of [0xe0, 0xe1]) {
    assert.throws(() => parseViewingKey(container('uivk', orchardItem, item(typecode, typecode === 0xe0 ? 4 : 8))), {
      code: 'unsupported_item',
      message: /Revision 0 does not allow/,
    })
  }
})

test('a key relabelled for another revision or network is rejected', () => {
  const relabelled = (from: string, to: string) => {
    const padding = new Uint8Array(16)
    padding.set(new TextEncoder().encode(from))
    return bech32m.encode(to, bech32m.toWords(f4Jumble(concatBytes(orchardItem, padding))), false)
  }
  for (const [from, to] of [
    ['uivk', 'uvi'],
    ['uvi', 'uivk'],
    ['uvi', 'uvitest'],
    ['uvf', 'uvi'],
  ] as const) {
    assert.throws(() => parseViewingKey(relabelled(from, to)), { code: 'invalid_padding' })
  }
})

test('the error for any other text names its kind and warns about secrets', () => {
  const data = 'qpzry9x8gf2tvdw0s3jn54khce6mua7lqpzry9x8gf2tvdw0s3jn54khce6mua7l'
  const base58 = 'zvxYwPqrstuABCdefghiJKLmn'.repeat(5)
  const phrase = (words: number) => Array(words).fill('abandon').join(' ')
  const cases: readonly (readonly [string, ZcashErrorCode, RegExp])[] = [
    [`ur1${data}`, 'unsupported_revision', /Revision 1 .*withdrawn/],
    [`urtest1${data}`, 'unsupported_revision', /Revision 1 .*withdrawn/],
    [`urview1${data}`, 'unsupported_revision', /Revision 1 .*withdrawn/],
    [`urivktest1${data}`, 'unsupported_revision', /Revision 1 .*withdrawn/],
    [`urviewregtest1${data}`, 'unsupported_revision', /Revision 1 .*withdrawn/],
    [`zu1${data}`, 'unsupported_revision', /Revision 2 address/],
    [`zutest1${data}`, 'unsupported_revision', /Revision 2 address/],
    [`tutest1${data}`, 'unsupported_revision', /Revision 2 address/],
    [`turegtest1${data}`, 'unsupported_revision', /Revision 2 address/],
    [`zxviews1${data}`, 'wrong_kind', /is a Sapling viewing key; .*uview1…/],
    [`zxviewtestsapling1${data}`, 'wrong_kind', /is a Sapling viewing key/],
    [`zxviewregtestsapling1${data}`, 'wrong_kind', /is a Sapling viewing key/],
    [`zs1${data}`, 'wrong_kind', /is a Sapling address/],
    [`ztestsapling1${data}`, 'wrong_kind', /is a Sapling address/],
    [`zc${base58.slice(0, 93)}`, 'wrong_kind', /is a Sprout address/],
    ['t1V9mnyk5Z5cTNMCkLbaDwSskgJZucTLdgW', 'wrong_kind', /is a transparent address/],
    ['t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd', 'wrong_kind', /is a transparent address/],
    [`tex1${data}`, 'wrong_kind', /is a transparent address/],
    [`xpub6${base58.slice(0, 106)}`, 'wrong_kind', /transparent viewing key .*cannot see shielded payments/],
    [`tpub6${base58.slice(0, 106)}`, 'wrong_kind', /transparent viewing key/],
    [`xprv9${base58.slice(0, 106)}`, 'wrong_kind', /spending key .*never paste it anywhere/],
    [`secret-extended-key-main1${data}`, 'wrong_kind', /spending key, which can spend .*never paste it anywhere/],
    [`secret-extended-key-test1${data}`, 'wrong_kind', /never paste it anywhere/],
    [`secret-extended-key-regtest1${data}`, 'wrong_kind', /never paste it anywhere/],
    [`b4d0d6c20320${'1f'.repeat(32)}`, 'wrong_kind', /unified spending key, which .*never paste it anywhere/],
    [
      Buffer.from(`b4d0d6c20320${'1f'.repeat(32)}`, 'hex').toString('base64'),
      'wrong_kind',
      /unified spending key, which .*never paste it anywhere/,
    ],
    [phrase(12), 'wrong_kind', /seed phrase, which .*never paste it anywhere/],
    [phrase(24), 'wrong_kind', /seed phrase/],
    [` ${phrase(24).replaceAll(' ', '\n')}\n`, 'wrong_kind', /seed phrase/],
    [
      Array.from({ length: 12 }, (_, i) => `${i + 1}. Abandon`).join('\n'),
      'wrong_kind',
      /seed phrase, which .*never paste it anywhere/,
    ],
    [phrase(11), 'unknown_prefix', /uview1…, uivk1…, uvf1… or uvi1…/],
    ['', 'unknown_prefix', /uview1…, uivk1…, uvf1… or uvi1…/],
    ['hello', 'unknown_prefix', /uview1…, uivk1…, uvf1… or uvi1…/],
    [`xpub1${data}`, 'unknown_prefix', /uview1…, uivk1…, uvf1… or uvi1…/],
    [`UVF1${data.toUpperCase()}`, 'invalid_checksum', /checksum/],
    [`uviregtest1${data}`, 'invalid_checksum', /checksum/],
    [encodeFullViewingKey(full, 'main', { height: 5 }).slice(0, -1), 'invalid_checksum', /missing/],
  ]
  const rejects = (parse: (text: string) => unknown, text: string, code: ZcashErrorCode, message: RegExp) =>
    assert.throws(
      () => parse(text),
      (error: Error & { code?: string }) => {
        assert.deepEqual([error.name, error.code], ['ZcashError', code], text.slice(0, 20))
        assert.match(error.message, message)
        assert.ok(text.length < 30 || !error.message.includes(text.slice(6, 30)), 'the message repeats the text')
        return true
      },
    )
  for (const row of cases) for (const parse of [parseViewingKey, parseAddress]) rejects(parse, ...row)
  for (const network of NETWORKS) {
    const address = encodeAddress(network, orchardReceiver(incoming, 0n))
    rejects(parseViewingKey, address, 'wrong_kind', /is an address; a viewing key starts with/)
    for (const key of [encodeFullViewingKey(full, network), encodeIncomingViewingKey(incoming, network)])
      rejects(parseAddress, key, 'wrong_kind', /is a viewing key/)
  }
})

test('an encoded full viewing key contains the bytes of the key', () => {
  const { items } = decodeUnified(encodeFullViewingKey(full, 'regtest', { time: 5n }))
  assert.equal(hex(items[0]!.data), hex(fullViewingKeyToBytes(full)))
})
