import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { bech32m } from '@scure/base'
import { ZcashError } from './errors.ts'
import { f4Jumble, f4JumbleInverse, MAX_JUMBLE_LENGTH, MIN_JUMBLE_LENGTH } from './f4jumble.ts'
import { NETWORKS, type Network, PREFIXES, PREFIXES_REVISION_2 } from './network.ts'
import { rejectOtherEncodings } from './other-encodings.ts'

/** The kind of a ZIP 316 encoding: unified address, full viewing key or incoming viewing key. */
export type UnifiedKind = keyof typeof PREFIXES

/** An item of a ZIP 316 encoding: a receiver, a key or metadata. */
export interface UnifiedItem {
  /** the type (ZIP 316), 0 to 0x2000000; see {@link TYPECODES} */
  readonly typecode: number
  readonly data: Uint8Array
}

/** A decoded unified address or viewing key (ZIP 316). */
export interface UnifiedEncoding {
  readonly kind: UnifiedKind
  readonly network: Network
  /** absent for Revision 0 */
  readonly revision?: 2
  /** in ascending order of typecodes, unknown types included */
  readonly items: readonly UnifiedItem[]
}

/** The supported typecodes of ZIP 316 items. */
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

/** The longest accepted text, in characters: far above any encoding in use. It bounds the cost of hostile input. */
export const MAX_UNIFIED_LENGTH = 16_384

const PADDING_LENGTH = 16
const MAX_COMPACT_SIZE = 0x2000000

/** The typecodes of metadata items; those from 0xE0 on are MUST-understand (ZIP 316, "Metadata Items"). */
const METADATA = { from: 0xc0, mustUnderstandFrom: 0xe0, to: 0xfc } as const

const ITEM_LENGTHS: Readonly<Record<UnifiedKind, ReadonlyMap<number, number>>> = {
  address: new Map([
    [TYPECODES.p2pkh, 20],
    [TYPECODES.p2sh, 20],
    [TYPECODES.sapling, 43],
    [TYPECODES.orchard, 43],
  ]),
  // Revision 0 defines no P2SH viewing key, so P2SH counts as an unknown type there. In Revision 2 its length varies.
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
 * Decodes a unified address of ZIP 316 Revision 0, or a unified viewing key of Revision 0 or 2, of any network. Checks
 * the encoding, the order and the combination of items, and the length of known items, but not their content.
 * @throws ZcashError one of `wrong_length`, `invalid_encoding`, `invalid_checksum`, `invalid_padding`,
 *   `unknown_prefix`, `unsupported_revision`, `unsupported_item`, `wrong_kind`, `duplicate_item`, `misordered_items`,
 *   `no_shielded_item`, `no_key_item`. The message says what is wrong and never repeats the text.
 */
export function decodeUnified(text: string): UnifiedEncoding {
  if (typeof text !== 'string' || text.length > MAX_UNIFIED_LENGTH) {
    throw new ZcashError('wrong_length', `must be text of at most ${MAX_UNIFIED_LENGTH} characters`)
  }
  rejectOtherEncodings(text)
  const { kind, network, revision, prefix } = parsePrefix(text)
  const jumbled = decodeBech32m(text)
  if (jumbled.length < MIN_JUMBLE_LENGTH || jumbled.length > MAX_JUMBLE_LENGTH) {
    throw new ZcashError('wrong_length', 'contains too few bytes')
  }
  const items = decodeItems(stripPadding(f4JumbleInverse(jumbled), prefix))
  checkItems(kind, revision, items)
  return revision === 2 ? { kind, network, revision, items } : { kind, network, items }
}

/**
 * Encodes a unified address or viewing key (ZIP 316). The items may be in any order. Revision 2 is for viewing keys
 * only.
 * @throws ZcashError `unsupported_revision` for an address of Revision 2, `out_of_range` for a typecode, and the errors
 *   of {@link decodeUnified} for invalid items
 */
export function encodeUnified(
  kind: UnifiedKind,
  network: Network,
  items: readonly UnifiedItem[],
  revision: 0 | 2 = 0,
): string {
  const { prefix, message } = toJumble(kind, network, items, revision)
  return encodeJumbled(prefix, f4Jumble(message))
}

/**
 * The message of an encoding before F4Jumble, and its prefix.
 * @throws ZcashError as {@link encodeUnified}
 */
export function toJumble(
  kind: UnifiedKind,
  network: Network,
  items: readonly UnifiedItem[],
  revision: 0 | 2 = 0,
): { prefix: string; message: Uint8Array } {
  const sorted = [...items].sort((left, right) => left.typecode - right.typecode)
  if (revision === 2 && kind === 'address') {
    throw new ZcashError('unsupported_revision', 'addresses are encoded in Revision 0 only')
  }
  checkItems(kind, revision, sorted)
  const prefix = revision === 2 && kind !== 'address' ? PREFIXES_REVISION_2[kind][network] : PREFIXES[kind][network]
  const parts = sorted.flatMap(({ typecode, data }) => [
    encodeCompactSize(typecode),
    encodeCompactSize(data.length),
    data,
  ])
  return { prefix, message: concatBytes(...parts, padding(prefix)) }
}

/** The text of a jumbled message. @throws ZcashError `wrong_length` */
export function encodeJumbled(prefix: string, jumbled: Uint8Array): string {
  const text = bech32m.encode(prefix, bech32m.toWords(jumbled), false)
  if (text.length > MAX_UNIFIED_LENGTH) throw new ZcashError('wrong_length', 'the items are too long')
  return text
}

function parsePrefix(text: string): { kind: UnifiedKind; network: Network; revision: 0 | 2; prefix: string } {
  const prefix = text.slice(0, Math.max(0, text.lastIndexOf('1'))).toLowerCase()
  for (const network of NETWORKS) {
    for (const kind of ['address', 'ufvk', 'uivk'] as const) {
      if (PREFIXES[kind][network] === prefix) return { kind, network, revision: 0, prefix }
      if (kind !== 'address' && PREFIXES_REVISION_2[kind][network] === prefix)
        return { kind, network, revision: 2, prefix }
    }
  }
  throw new ZcashError(
    'unknown_prefix',
    'is not a unified address (u1…) or unified viewing key (uview1…, uivk1…, uvf1… or uvi1…)',
  )
}

function decodeBech32m(text: string): Uint8Array {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) {
    throw new ZcashError('invalid_encoding', 'mixes upper and lower case')
  }
  const checked = bech32m.decodeUnsafe(text, false)
  if (checked === undefined) {
    throw new ZcashError('invalid_checksum', 'has an invalid checksum: a character is wrong, missing or extra')
  }
  const bytes = bech32m.fromWordsUnsafe(checked.words)
  if (!(bytes instanceof Uint8Array))
    throw new ZcashError('invalid_encoding', 'does not encode a whole number of bytes')
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
    throw new ZcashError('invalid_padding', 'has invalid padding: it was altered, or made for another prefix')
  }
  return bytes.subarray(0, end)
}

function decodeItems(bytes: Uint8Array): UnifiedItem[] {
  const items: UnifiedItem[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const typecode = decodeCompactSize(bytes, offset)
    const length = decodeCompactSize(bytes, typecode.end)
    const end = length.end + length.value
    if (end > bytes.length) throw new ZcashError('wrong_length', 'ends in the middle of an item')
    items.push({ typecode: typecode.value, data: bytes.slice(length.end, end) })
    offset = end
  }
  return items
}

function checkItems(kind: UnifiedKind, revision: 0 | 2, items: readonly UnifiedItem[]): void {
  for (const [i, { typecode, data }] of items.entries()) {
    const previous = items[i - 1]?.typecode ?? -1
    if (previous === typecode) throw new ZcashError('duplicate_item', 'contains two items of the same type')
    if (previous > typecode) throw new ZcashError('misordered_items', 'contains its items in the wrong order')
    const expiryLength = revision === 2 ? EXPIRY_LENGTHS.get(typecode) : undefined
    if (typecode >= METADATA.mustUnderstandFrom && typecode <= METADATA.to && expiryLength === undefined) {
      throw new ZcashError(
        'unsupported_item',
        revision === 2
          ? `contains a MUST-understand item (type 0x${typecode.toString(16)}) that is not supported`
          : 'contains a MUST-understand item, which Revision 0 does not allow',
      )
    }
    const length = expiryLength ?? ITEM_LENGTHS[kind].get(typecode)
    if (length !== undefined && data.length !== length) {
      throw new ZcashError('wrong_length', 'contains an item of the wrong length')
    }
  }
  checkCombination(revision, new Set(items.map(item => item.typecode)))
}

/** Revision 2 allows viewing keys without a shielded item, but not with metadata only. */
function checkCombination(revision: 0 | 2, typecodes: ReadonlySet<number>): void {
  if (typecodes.has(TYPECODES.p2pkh) && typecodes.has(TYPECODES.p2sh)) {
    throw new ZcashError('unsupported_item', 'contains both kinds of transparent items, P2PKH and P2SH')
  }
  if (revision === 0 && !typecodes.has(TYPECODES.sapling) && !typecodes.has(TYPECODES.orchard)) {
    throw new ZcashError('no_shielded_item', 'contains no shielded item')
  }
  if ([...typecodes].every(typecode => typecode >= METADATA.from && typecode <= METADATA.to)) {
    throw new ZcashError('no_key_item', 'contains no key, only metadata')
  }
}

function encodeCompactSize(value: number): Uint8Array {
  if (!Number.isInteger(value) || value < 0 || value > MAX_COMPACT_SIZE) {
    throw new ZcashError('out_of_range', `typecode and length must be 0 to ${MAX_COMPACT_SIZE}`)
  }
  if (value < 0xfd) return Uint8Array.of(value)
  if (value <= 0xffff) return Uint8Array.of(0xfd, value, value >> 8)
  return Uint8Array.of(0xfe, value, value >> 8, value >> 16, value >> 24)
}

function decodeCompactSize(bytes: Uint8Array, offset: number): { value: number; end: number } {
  const first = bytes[offset]
  const width = first === 0xfd ? 2 : first === 0xfe ? 4 : 0
  const end = offset + 1 + width
  if (first === undefined || first === 0xff || end > bytes.length) {
    throw new ZcashError('wrong_length', 'ends in the middle of an item')
  }
  let value = width === 0 ? first : 0
  for (let i = width; i > 0; i--) value = value * 256 + bytes[offset + i]!
  if (value > MAX_COMPACT_SIZE || encodeCompactSize(value).length !== 1 + width) {
    throw new ZcashError('invalid_encoding', 'contains a typecode or length that is not in its shortest form')
  }
  return { value, end }
}
