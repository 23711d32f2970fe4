import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base32nopad, base58, base58xrp, base64, bech32, bech32m, createBase58check } from '@scure/base'

/**
 * Why a text is no address of a chain: it does not look like one, or its checksum is wrong, as after a typing error.
 */
export type RefundAddressFault = 'form' | 'checksum'

interface AddressRule {
  /** The usual prefixes of addresses, for the error message; empty: there are none. */
  readonly begins: readonly string[]
  readonly faultOf: (address: string) => RefundAddressFault | null
}

const base58check = createBase58check(sha256)

/** Bitcoin and its descendants: base58check by version byte, and segregated witness (BIP 173, BIP 350) by prefix. */
function bitcoinLike(begins: readonly string[], versions: readonly number[], prefix: string | null): AddressRule {
  return {
    begins,
    faultOf(address) {
      if (prefix !== null && address.toLowerCase().startsWith(`${prefix}1`)) return witnessFault(address, prefix)
      if (!begins.some(begin => address.startsWith(begin))) return 'form'
      return base58checkFault(address, versions)
    },
  }
}

function witnessFault(address: string, prefix: string): RefundAddressFault | null {
  const isOneCase = address === address.toLowerCase() || address === address.toUpperCase()
  if (!isOneCase || !/^[a-z0-9]{14,90}$/i.test(address)) return 'form'
  const version0 = bech32.decodeUnsafe(address as `${string}1${string}`)
  const found = version0 ?? bech32m.decodeUnsafe(address as `${string}1${string}`)
  if (!found) return 'checksum'
  const [version = 0, ...words] = found.words
  const program = bech32.fromWordsUnsafe(words)
  if (found.prefix !== prefix || !program || version > 16 || (version === 0) !== (version0 !== undefined)) return 'form'
  const { length } = program
  return (version === 0 ? length === 20 || length === 32 : length >= 2 && length <= 40) ? null : 'form'
}

/** Base58check of a version byte and 20 bytes. */
function base58checkFault(address: string, versions: readonly number[]): RefundAddressFault | null {
  const bytes = decoded(base58, address, 60)
  if (bytes?.length !== 25) return 'form'
  if (!decoded(base58check, address, 60)) return 'checksum'
  return versions.includes(bytes[0]!) ? null : 'form'
}

/** EIP-55: an address in both cases carries a checksum. */
const ethereum: AddressRule = {
  begins: ['0x'],
  faultOf(address) {
    if (!/^0x[0-9a-f]{40}$/i.test(address)) return 'form'
    const digits = address.slice(2)
    const lower = digits.toLowerCase()
    if (digits === lower || digits === digits.toUpperCase()) return null
    const hash = Buffer.from(keccak_256(Buffer.from(lower))).toString('hex')
    const checked = [...lower].map((digit, at) => (Number.parseInt(hash[at]!, 16) >= 8 ? digit.toUpperCase() : digit))
    return digits === checked.join('') ? null : 'checksum'
  },
}

const solana: AddressRule = {
  begins: [],
  faultOf: address => (decoded(base58, address, 44)?.length === 32 ? null : 'form'),
}

const tron: AddressRule = {
  begins: ['T'],
  faultOf: address => base58checkFault(address, [0x41]),
}

/** Classic addresses and X-addresses (XLS-5d), in Ripple's alphabet. */
const ripple: AddressRule = {
  begins: ['r', 'X'],
  faultOf(address) {
    const bytes = decoded(base58xrp, address, 60)
    const isClassic = bytes?.length === 25 && bytes[0] === 0
    const isX = bytes?.length === 35 && bytes[0] === 0x05 && bytes[1] === 0x44
    if (!bytes || !(isClassic || isX)) return 'form'
    const hash = sha256(sha256(bytes.subarray(0, -4))).subarray(0, 4)
    return Buffer.compare(hash, bytes.subarray(-4)) === 0 ? null : 'checksum'
  },
}

/** Account names and implicit accounts (NEP: account id rules). */
const near: AddressRule = {
  begins: [],
  faultOf: address =>
    address.length >= 2 && address.length <= 64 && /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/.test(address) ? null : 'form',
}

/** User-friendly addresses (TEP-2), and raw ones, which have no checksum. */
const ton: AddressRule = {
  begins: ['UQ', 'EQ'],
  faultOf(address) {
    if (/^-?[0-9]{1,10}:[0-9a-f]{64}$/i.test(address)) return null
    if (!/^[\w+/-]{48}$/.test(address)) return 'form'
    const bytes = decoded(base64, address.replaceAll('-', '+').replaceAll('_', '/'), 48)
    if (bytes?.length !== 36) return 'form'
    return crc16(bytes.subarray(0, 34)) === ((bytes[34]! << 8) | bytes[35]!) ? null : 'checksum'
  },
}

/** 32 bytes, of which leading zeros may be left out. The 20 bytes of an Ethereum address are too short. */
const sui: AddressRule = {
  begins: ['0x'],
  faultOf: address => (/^0x[0-9a-f]{60,64}$/i.test(address) ? null : 'form'),
}

/** Lengths in bytes of a `strkey` (SEP-23), with its version and checksum: accounts, muxed accounts, contracts. */
const STRKEY_BYTES: Readonly<Record<string, number>> = { G: 35, M: 43, C: 35 }

const stellar: AddressRule = {
  begins: ['G', 'M', 'C'],
  faultOf(address) {
    const bytes = decoded(base32nopad, address, 69)
    if (!bytes || bytes.length !== STRKEY_BYTES[address[0]!]) return 'form'
    const end = bytes.length - 2
    return crc16(bytes.subarray(0, end)) === (bytes[end]! | (bytes[end + 1]! << 8)) ? null : 'checksum'
  },
}

const EVM_CHAINS = ['arb', 'avax', 'base', 'bera', 'bsc', 'eth', 'gnosis', 'monad', 'op', 'plasma', 'pol', 'xlayer']

const RULES: ReadonlyMap<string, AddressRule> = new Map([
  ['btc', bitcoinLike(['bc1', '1', '3'], [0x00, 0x05], 'bc')],
  ['ltc', bitcoinLike(['ltc1', 'L', 'M', '3'], [0x30, 0x32, 0x05], 'ltc')],
  ['doge', bitcoinLike(['D', 'A', '9'], [0x1e, 0x16], null)],
  ...EVM_CHAINS.map(chain => [chain, ethereum] as const),
  ['sol', solana],
  ['tron', tron],
  ['xrp', ripple],
  ['near', near],
  ['ton', ton],
  ['sui', sui],
  ['stellar', stellar],
])

/**
 * The fault of a refund address on a chain. Null: none that can be known here. Addresses of other chains are not checked:
 * the provider judges them.
 * @param blockchain code of the chain, as the provider names it
 */
export function refundAddressFault(blockchain: string, address: string): RefundAddressFault | null {
  return RULES.get(blockchain)?.faultOf(address) ?? null
}

/** The usual prefixes of addresses of a chain, such as `bc1`, `1` and `3`. Empty: not known. */
export function addressBegins(blockchain: string): readonly string[] {
  return RULES.get(blockchain)?.begins ?? []
}

/** Null for a text that is too long or not in this encoding. */
function decoded(coder: { decode(text: string): Uint8Array }, text: string, maxChars: number): Uint8Array | null {
  if (text.length > maxChars) return null
  try {
    return coder.decode(text)
  } catch {
    return null
  }
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff
  }
  return crc
}
