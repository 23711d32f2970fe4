import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { expectLength, ZcashError } from './errors.ts'
import type { Network } from './network.ts'
import { decodePoint, P, Q } from './pallas.ts'
import { expand, toScalar } from './prf-expand.ts'
import { commitIvk } from './sinsemilla.ts'
import { decodeUnified, encodeUnified, TYPECODES, type UnifiedItem } from './unified.ts'

/** Sees payments to the external addresses of one account, in Orchard and in Ironwood; cannot see change or spend. */
export interface IncomingViewingKey {
  /** 32 bytes: the diversifier key */
  readonly dk: Uint8Array
  /** 1 to p − 1 */
  readonly ivk: bigint
}

/** An Orchard full viewing key (protocol specification §4.2.3). */
export interface FullViewingKey {
  /** the x-coordinate of the spend validating key */
  readonly ak: bigint
  readonly nk: bigint
  readonly rivk: bigint
}

export interface ViewingKey {
  readonly kind: 'ufvk' | 'uivk'
  readonly network: Network
  /** every item in the key, unknown ones included */
  readonly typecodes: readonly number[]
  /** absent when the key has no Orchard item */
  readonly orchard?: IncomingViewingKey
  /** absent when the key never expires, as in Revision 0 */
  readonly expiry?: KeyExpiry
}

/** When a Revision 2 key expires (ZIP 316, "Address Expiration Metadata"); at least one of the two, the earlier counts. */
export interface KeyExpiry {
  /** 0 to 2^32 − 1: expired once the chain is higher */
  readonly height?: number
  /** Unix seconds, 0 to 2^64 − 1: expired after it */
  readonly time?: bigint
}

/**
 * Reads a ZIP 316 unified viewing key of Revision 0 or 2 and keeps the incoming, external Orchard part of it. An
 * expired key is read like any other: {@link ViewingKey.expiry} is for the caller to judge. Throws a {@link ZcashError}
 * whose message says what the text is instead, or what is wrong with it.
 */
export function parseViewingKey(text: string): ViewingKey {
  const { kind, network, items } = decodeUnified(text)
  if (kind === 'address') {
    throw new ZcashError('wrong_kind', 'is an address; a viewing key starts with uview1…, uivk1…, uvf1… or uvi1…')
  }
  const expiry = expiryOf(items)
  const read = { kind, network, typecodes: items.map(item => item.typecode), ...(expiry && { expiry }) }
  const data = items.find(item => item.typecode === TYPECODES.orchard)?.data
  if (data === undefined) return read
  const orchard = kind === 'uivk' ? incomingFromBytes(data) : externalIncoming(fullViewingKeyFromBytes(data))
  return { ...read, orchard }
}

/** A UIVK whose only key is this one: of Revision 0 (`uivk…`), or of Revision 2 (`uvi…`) where it expires. */
export function encodeIncomingViewingKey(key: IncomingViewingKey, network: Network, expiry?: KeyExpiry): string {
  return encodeOrchardKey('uivk', network, incomingToBytes(key), expiry)
}

/** A UFVK or UIVK with one Orchard item, and with the expiry where there is one. Throws `out_of_range`. */
export function encodeOrchardKey(
  kind: 'ufvk' | 'uivk',
  network: Network,
  data: Uint8Array,
  expiry?: KeyExpiry,
): string {
  const items = [{ typecode: TYPECODES.orchard, data }]
  return expiry === undefined
    ? encodeUnified(kind, network, items)
    : encodeUnified(kind, network, [...items, ...expiryItems(expiry)], 2)
}

function expiryOf(items: readonly UnifiedItem[]): KeyExpiry | undefined {
  const numberOf = (typecode: number) => {
    const item = items.find(item => item.typecode === typecode)
    return item && bytesToNumberLE(item.data)
  }
  const height = numberOf(TYPECODES.expiryHeight)
  const time = numberOf(TYPECODES.expiryTime)
  if (height === undefined && time === undefined) return undefined
  return { ...(height !== undefined && { height: Number(height) }), ...(time !== undefined && { time }) }
}

function expiryItems({ height, time }: KeyExpiry): UnifiedItem[] {
  const item = (typecode: number, value: bigint, length: number): UnifiedItem => {
    if (value < 0n || value >= 1n << BigInt(8 * length)) {
      throw new ZcashError('out_of_range', `an expiry must be a whole number of at most ${length} bytes`)
    }
    return { typecode, data: numberToBytesLE(value, length) }
  }
  return [
    ...(height === undefined ? [] : [item(TYPECODES.expiryHeight, wholeNumber(height), 4)]),
    ...(time === undefined ? [] : [item(TYPECODES.expiryTime, time, 8)]),
  ]
}

/** Anything else becomes a number that is out of every range. */
function wholeNumber(value: number): bigint {
  return Number.isSafeInteger(value) ? BigInt(value) : -1n
}

/** From dk ‖ ivk, 64 bytes (§5.6.4.3). Throws `wrong_length` or `invalid_key`. */
export function incomingFromBytes(bytes: Uint8Array): IncomingViewingKey {
  expectLength('an Orchard incoming viewing key', bytes, 64)
  const ivk = bytesToNumberLE(bytes.subarray(32))
  if (ivk === 0n || ivk >= P) throw new ZcashError('invalid_key', 'holds an invalid Orchard incoming viewing key')
  return { dk: bytes.slice(0, 32), ivk }
}

/** dk ‖ ivk, 64 bytes */
export function incomingToBytes(key: IncomingViewingKey): Uint8Array {
  return concatBytes(key.dk, numberToBytesLE(key.ivk, 32))
}

/** From ak ‖ nk ‖ rivk, 96 bytes (§5.6.4.4). Throws `wrong_length` or `invalid_key`. */
export function fullViewingKeyFromBytes(bytes: Uint8Array): FullViewingKey {
  expectLength('an Orchard full viewing key', bytes, 96)
  const ak = bytesToNumberLE(bytes.subarray(0, 32))
  const nk = bytesToNumberLE(bytes.subarray(32, 64))
  const rivk = bytesToNumberLE(bytes.subarray(64))
  if (ak >= P || decodePoint(bytes.subarray(0, 32)) === undefined || nk >= P || rivk >= Q) {
    throw new ZcashError('invalid_key', 'holds an invalid Orchard full viewing key')
  }
  return { ak, nk, rivk }
}

/** ak ‖ nk ‖ rivk, 96 bytes */
export function fullViewingKeyToBytes(key: FullViewingKey): Uint8Array {
  return concatBytes(numberToBytesLE(key.ak, 32), numberToBytesLE(key.nk, 32), numberToBytesLE(key.rivk, 32))
}

/** The key of the addresses given out. Throws `invalid_key` for the key, never met, that has none. */
export function externalIncoming(key: FullViewingKey): IncomingViewingKey {
  const ivk = commitIvk(key.rivk, key.ak, key.nk)
  if (ivk === 0n) throw new ZcashError('invalid_key', 'holds an invalid Orchard full viewing key')
  return { dk: diversifierAndOutgoing(key).subarray(0, 32), ivk }
}

/** The key of the wallet's own change (ZIP 32, "Orchard internal key derivation"): never a payment. */
export function internalIncoming(key: FullViewingKey): IncomingViewingKey {
  return externalIncoming(internalKey(key))
}

/** ovk, 32 bytes: with it the sender of external payments reads them back. */
export function externalOutgoing(key: FullViewingKey): Uint8Array {
  return diversifierAndOutgoing(key).subarray(32)
}

/** The ovk of the wallet's own transfers. */
export function internalOutgoing(key: FullViewingKey): Uint8Array {
  return externalOutgoing(internalKey(key))
}

function internalKey(key: FullViewingKey): FullViewingKey {
  return { ...key, rivk: toScalar(expandKey(key, 0x83)) }
}

/** dk ‖ ovk (§4.2.3) */
function diversifierAndOutgoing(key: FullViewingKey): Uint8Array {
  return expandKey(key, 0x82)
}

function expandKey(key: FullViewingKey, domain: number): Uint8Array {
  return expand(numberToBytesLE(key.rivk, 32), domain, numberToBytesLE(key.ak, 32), numberToBytesLE(key.nk, 32))
}
