import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { bech32m } from '@scure/base'
import { ZcashError } from './errors.ts'
import { f4Jumble, f4JumbleInverse, MAX_JUMBLE_LENGTH, MIN_JUMBLE_LENGTH } from './f4jumble.ts'
import { refuseForeign } from './foreign-text.ts'
import { NETWORKS, type Network, PREFIXES, PREFIXES_R2 } from './network.ts'

/** What a ZIP 316 container holds: receivers, full viewing keys or incoming viewing keys. */
export type UnifiedKind = keyof typeof PREFIXES

export interface UnifiedItem {
  readonly typecode: number
  readonly data: Uint8Array
}

export interface Unified {
  readonly kind: UnifiedKind
  readonly network: Network
  /** absent: Revision 0 */
  readonly revision?: 2
  /** in ascending order of their typecodes, unknown ones included */
  readonly items: readonly UnifiedItem[]
}

export const TYPECODES = {
  p2pkh: 0x00,
  p2sh: 0x01,
  sapling: 0x02,
  orchard: 0x03,
  /** a block height, 4 bytes; Revision 2 (ZIP 316, "Address Expiration Metadata") */
  expiryHeight: 0xe0,
  /** Unix seconds, 8 bytes; Revision 2 */
  expiryTime: 0xe1,
} as const

/** Far above any container in use; a longer text is refused unread. */
export const MAX_TEXT_LENGTH = 16_384

const PADDING_LENGTH = 16
const MAX_COMPACT_SIZE = 0x2000000

/** Metadata, of which a reader must understand that from 0xE0 on (ZIP 316, "Metadata Items"). */
const METADATA = { from: 0xc0, mustUnderstandFrom: 0xe0, to: 0xfc } as const

const ITEM_LENGTHS: Readonly<Record<UnifiedKind, ReadonlyMap<number, number>>> = {
  address: new Map([
    [TYPECODES.p2pkh, 20],
    [TYPECODES.p2sh, 20],
    [TYPECODES.sapling, 43],
    [TYPECODES.orchard, 43],
  ]),
  // P2SH is no viewing key type of Revision 0 and counts as unknown there. In Revision 2 it has no fixed length.
  ufvk: new Map([
    [TYPECODES.p2pkh, 65],
    [TYPECODES.sapling, 128],
    [TYPECODES.orchard, 96],
  ]),
  uivk: new Map([
    [TYPECODES.p2pkh, 65],
    [TYPECODES.sapling, 64],
    [TYPECODES.orchard, 64],
  ]),
}

const EXPIRY_LENGTHS: ReadonlyMap<number, number> = new Map([
  [TYPECODES.expiryHeight, 4],
  [TYPECODES.expiryTime, 8],
])

/**
 * Reads a ZIP 316 address of Revision 0 or viewing key of Revision 0 or 2, mainnet, testnet or regtest. Throws a {@link ZcashError} that
 * says what the text is instead, or what is wrong with it; the message never repeats the text.
 */
export function decodeUnified(text: string): Unified {
  if (typeof text !== 'string' || text.length > MAX_TEXT_LENGTH) {
    throw new ZcashError('wrong_length', `must be a text of at most ${MAX_TEXT_LENGTH} characters`)
  }
  refuseForeign(text)
  const { kind, network, revision, prefix } = readPrefix(text)
  const jumbled = readBech32m(text)
  if (jumbled.length < MIN_JUMBLE_LENGTH || jumbled.length > MAX_JUMBLE_LENGTH) {
    throw new ZcashError('wrong_length', 'holds too few bytes')
  }
  const items = readItems(stripPadding(f4JumbleInverse(jumbled), prefix))
  checkItems(kind, revision, items)
  return revision === 2 ? { kind, network, revision, items } : { kind, network, items }
}

/**
 * The text of a container; items in any order. Revision 2 is for viewing keys only. Throws the same errors as
 * {@link decodeUnified} for bad items.
 */
export function encodeUnified(
  kind: UnifiedKind,
  network: Network,
  items: readonly UnifiedItem[],
  revision: 0 | 2 = 0,
): string {
  const sorted = items.toSorted((left, right) => left.typecode - right.typecode)
  if (revision === 2 && kind === 'address') {
    throw new ZcashError('unsupported_revision', 'addresses are encoded in Revision 0 only')
  }
  checkItems(kind, revision, sorted)
  const prefix = revision === 2 && kind !== 'address' ? PREFIXES_R2[kind][network] : PREFIXES[kind][network]
  const parts = sorted.flatMap(({ typecode, data }) => [compactSize(typecode), compactSize(data.length), data])
  const text = bech32m.encode(prefix, bech32m.toWords(f4Jumble(concatBytes(...parts, padding(prefix)))), false)
  if (text.length > MAX_TEXT_LENGTH) throw new ZcashError('wrong_length', 'the items are too long')
  return text
}

function readPrefix(text: string): { kind: UnifiedKind; network: Network; revision: 0 | 2; prefix: string } {
  const prefix = text.slice(0, Math.max(0, text.lastIndexOf('1'))).toLowerCase()
  for (const network of NETWORKS) {
    for (const kind of ['address', 'ufvk', 'uivk'] as const) {
      if (PREFIXES[kind][network] === prefix) return { kind, network, revision: 0, prefix }
      if (kind !== 'address' && PREFIXES_R2[kind][network] === prefix) return { kind, network, revision: 2, prefix }
    }
  }
  throw new ZcashError(
    'unknown_prefix',
    'is no unified address (u1…) or unified viewing key (uview1…, uivk1…, uvf1… or uvi1…)',
  )
}

function readBech32m(text: string): Uint8Array {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) {
    throw new ZcashError('invalid_encoding', 'mixes upper and lower case')
  }
  const checked = bech32m.decodeUnsafe(text, false)
  if (checked === undefined) {
    throw new ZcashError('invalid_checksum', 'fails its checksum: a character is wrong, missing or too many')
  }
  const bytes = bech32m.fromWordsUnsafe(checked.words)
  if (!(bytes instanceof Uint8Array)) throw new ZcashError('invalid_encoding', 'does not hold whole bytes')
  return bytes
}

function padding(prefix: string): Uint8Array {
  const bytes = new Uint8Array(PADDING_LENGTH)
  bytes.set(utf8ToBytes(prefix))
  return bytes
}

function stripPadding(bytes: Uint8Array, prefix: string): Uint8Array {
  const end = bytes.length - PADDING_LENGTH
  if (!padding(prefix).every((byte, i) => bytes[end + i] === byte)) {
    throw new ZcashError('invalid_padding', 'has wrong padding: it was altered, or made for another prefix')
  }
  return bytes.subarray(0, end)
}

function readItems(bytes: Uint8Array): UnifiedItem[] {
  const items: UnifiedItem[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const typecode = readCompactSize(bytes, offset)
    const length = readCompactSize(bytes, typecode.end)
    const end = length.end + length.value
    if (end > bytes.length) throw new ZcashError('wrong_length', 'ends in the middle of an item')
    items.push({ typecode: typecode.value, data: bytes.slice(length.end, end) })
    offset = end
  }
  return items
}

function checkItems(kind: UnifiedKind, revision: 0 | 2, items: readonly UnifiedItem[]): void {
  for (const [i, { typecode, data }] of items.entries()) {
    const before = items[i - 1]?.typecode ?? -1
    if (before === typecode) throw new ZcashError('duplicate_item', 'holds two items of one type')
    if (before > typecode) throw new ZcashError('misordered_items', 'holds its items in the wrong order')
    const expiryLength = revision === 2 ? EXPIRY_LENGTHS.get(typecode) : undefined
    if (typecode >= METADATA.mustUnderstandFrom && typecode <= METADATA.to && expiryLength === undefined) {
      throw new ZcashError(
        'unsupported_item',
        revision === 2
          ? `holds an item (type 0x${typecode.toString(16)}) that must be understood and is not known here`
          : 'holds an item that Revision 0 does not allow and that must be understood',
      )
    }
    const length = expiryLength ?? ITEM_LENGTHS[kind].get(typecode)
    if (length !== undefined && data.length !== length) {
      throw new ZcashError('wrong_length', 'holds an item of the wrong length')
    }
  }
  checkCombination(revision, new Set(items.map(item => item.typecode)))
}

/** Revision 2 allows a viewing key without any shielded item, but not one of metadata alone. */
function checkCombination(revision: 0 | 2, typecodes: ReadonlySet<number>): void {
  if (typecodes.has(TYPECODES.p2pkh) && typecodes.has(TYPECODES.p2sh)) {
    throw new ZcashError('unsupported_item', 'holds two kinds of transparent item, P2PKH and P2SH')
  }
  if (revision === 0 && !typecodes.has(TYPECODES.sapling) && !typecodes.has(TYPECODES.orchard)) {
    throw new ZcashError('no_shielded_item', 'holds no shielded item')
  }
  if ([...typecodes].every(typecode => typecode >= METADATA.from && typecode <= METADATA.to)) {
    throw new ZcashError('no_key_item', 'holds no key, only what is said about one')
  }
}

function compactSize(value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > MAX_COMPACT_SIZE) {
    throw new ZcashError('out_of_range', `typecode and length must be 0 to ${MAX_COMPACT_SIZE}`)
  }
  if (value < 0xfd) return Uint8Array.of(value)
  if (value <= 0xffff) return Uint8Array.of(0xfd, value, value >> 8)
  return Uint8Array.of(0xfe, value, value >> 8, value >> 16, value >> 24)
}

function readCompactSize(bytes: Uint8Array, offset: number): { value: number; end: number } {
  const first = bytes[offset]
  const width = first === 0xfd ? 2 : first === 0xfe ? 4 : 0
  const end = offset + 1 + width
  if (first === undefined || first === 0xff || end > bytes.length) {
    throw new ZcashError('wrong_length', 'ends in the middle of an item')
  }
  let value = width === 0 ? first : 0
  for (let i = width; i > 0; i--) value = value * 256 + bytes[offset + i]!
  if (value > MAX_COMPACT_SIZE || compactSize(value).length !== 1 + width) {
    throw new ZcashError('invalid_encoding', 'holds a length that is not in its shortest form')
  }
  return { value, end }
}
