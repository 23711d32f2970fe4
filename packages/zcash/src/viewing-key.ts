import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { expectLength, ZcashError } from './errors.ts'
import type { Network } from './network.ts'
import { decodePoint, P, Q } from './pallas.ts'
import { prfExpand, toScalar } from './prf-expand.ts'
import { commitIvk } from './sinsemilla.ts'
import { decodeUnified, encodeUnified, TYPECODES, type UnifiedItem } from './unified.ts'

/**
 * The external Orchard incoming viewing key of an account (protocol specification §4.2.3). It detects payments to the
 * external addresses of the account in the Orchard and Ironwood pools. It detects no change and cannot spend.
 */
export interface IncomingViewingKey {
  /** 32 bytes: the diversifier key */
  readonly dk: Uint8Array
  /** 1 to p − 1: decrypts notes */
  readonly ivk: bigint
}

/** An Orchard full viewing key (protocol specification §4.2.3). */
export interface FullViewingKey {
  /** the x-coordinate of the spend validating key, a base field element */
  readonly ak: bigint
  /** the nullifier deriving key, a base field element */
  readonly nk: bigint
  /** the Commit^ivk randomness, a scalar */
  readonly rivk: bigint
}

/** A parsed unified viewing key (ZIP 316), reduced to its Orchard incoming viewing key. */
export interface ViewingKey {
  readonly kind: 'ufvk' | 'uivk'
  readonly network: Network
  /** the type of each item in ascending order, unknown types included */
  readonly typecodes: readonly number[]
  /** absent if the key has no Orchard item */
  readonly orchard?: IncomingViewingKey
  /** absent if the key never expires; always absent in Revision 0 */
  readonly expiry?: KeyExpiry
}

/**
 * The expiry of a Revision 2 viewing key (ZIP 316, "Address Expiration Metadata"). A parsed expiry has at least one
 * field. With both, the earlier one counts.
 */
export interface KeyExpiry {
  /** block height, 0 to 2^32 − 1: the key is expired when the chain is higher */
  readonly height?: number
  /** Unix seconds, 0 to 2^64 − 1: the key is expired after this time */
  readonly time?: bigint
}

/**
 * Parses a unified viewing key of ZIP 316 Revision 0 or 2 and derives its external Orchard incoming viewing key.
 * Accepts expired keys: the caller compares {@link ViewingKey.expiry} with the chain and the clock.
 * @throws ZcashError `wrong_kind` for an address, `invalid_key` for an invalid Orchard item, and the errors of
 *   {@link decodeUnified}. The message says what is wrong and never repeats the text.
 */
export function parseViewingKey(text: string): ViewingKey {
  const { kind, network, items } = decodeUnified(text)
  if (kind === 'address') {
    throw new ZcashError('wrong_kind', 'is an address; a viewing key starts with uview1…, uivk1…, uvf1… or uvi1…')
  }
  const expiry = expiryOf(items)
  const common = { kind, network, typecodes: items.map(item => item.typecode), ...(expiry && { expiry }) }
  const data = items.find(item => item.typecode === TYPECODES.orchard)?.data
  if (data === undefined) return common
  const orchard =
    kind === 'uivk' ? incomingViewingKeyFromBytes(data) : externalIncomingViewingKey(fullViewingKeyFromBytes(data))
  return { ...common, orchard }
}

/**
 * Encodes a unified incoming viewing key (ZIP 316) with this key as its only key item: Revision 0 (`uivk…`) without an
 * expiry, Revision 2 (`uvi…`) with one.
 * @throws ZcashError `out_of_range` for an invalid expiry
 */
export function encodeIncomingViewingKey(key: IncomingViewingKey, network: Network, expiry?: KeyExpiry): string {
  return encodeOrchardKey('uivk', network, incomingViewingKeyToBytes(key), expiry)
}

/**
 * Encodes a unified viewing key (ZIP 316) from the encoding of its Orchard item: 96 bytes for a UFVK, 64 bytes for a
 * UIVK. An expiry makes it Revision 2.
 * @throws ZcashError `out_of_range` for an invalid expiry, `wrong_length` for the item
 */
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
      throw new ZcashError('out_of_range', `an expiry must be an unsigned integer of at most ${length} bytes`)
    }
    return { typecode, data: numberToBytesLE(value, length) }
  }
  return [
    ...(height === undefined ? [] : [item(TYPECODES.expiryHeight, safeIntegerToBigInt(height), 4)]),
    ...(time === undefined ? [] : [item(TYPECODES.expiryTime, time, 8)]),
  ]
}

/** Maps values that are not safe integers to −1, which is out of range. */
function safeIntegerToBigInt(value: number): bigint {
  return Number.isSafeInteger(value) ? BigInt(value) : -1n
}

/**
 * Decodes an Orchard raw incoming viewing key: dk ‖ ivk, 64 bytes (protocol specification §5.6.4.3).
 * @throws ZcashError `wrong_length`; `invalid_key` unless ivk is 1 to p − 1
 */
export function incomingViewingKeyFromBytes(bytes: Uint8Array): IncomingViewingKey {
  expectLength('an Orchard incoming viewing key', bytes, 64)
  const ivk = bytesToNumberLE(bytes.subarray(32))
  if (ivk === 0n || ivk >= P) throw new ZcashError('invalid_key', 'contains an invalid Orchard incoming viewing key')
  return { dk: bytes.slice(0, 32), ivk }
}

/** Encodes an Orchard raw incoming viewing key: dk ‖ ivk, 64 bytes (protocol specification §5.6.4.3). */
export function incomingViewingKeyToBytes(key: IncomingViewingKey): Uint8Array {
  return concatBytes(key.dk, numberToBytesLE(key.ivk, 32))
}

/**
 * Decodes an Orchard raw full viewing key: ak ‖ nk ‖ rivk, 96 bytes (protocol specification §5.6.4.4).
 * @throws ZcashError `wrong_length`; `invalid_key` unless ak is the x-coordinate of a point, nk < p and rivk < q
 */
export function fullViewingKeyFromBytes(bytes: Uint8Array): FullViewingKey {
  expectLength('an Orchard full viewing key', bytes, 96)
  const ak = bytesToNumberLE(bytes.subarray(0, 32))
  const nk = bytesToNumberLE(bytes.subarray(32, 64))
  const rivk = bytesToNumberLE(bytes.subarray(64))
  if (ak >= P || decodePoint(bytes.subarray(0, 32)) === undefined || nk >= P || rivk >= Q) {
    throw new ZcashError('invalid_key', 'contains an invalid Orchard full viewing key')
  }
  return { ak, nk, rivk }
}

/** Encodes an Orchard raw full viewing key: ak ‖ nk ‖ rivk, 96 bytes (protocol specification §5.6.4.4). */
export function fullViewingKeyToBytes(key: FullViewingKey): Uint8Array {
  return concatBytes(numberToBytesLE(key.ak, 32), numberToBytesLE(key.nk, 32), numberToBytesLE(key.rivk, 32))
}

/**
 * Derives the external incoming viewing key (protocol specification §4.2.3): the key of the addresses for payers.
 * @throws ZcashError `invalid_key` if Commit^ivk gives 0, which happens with negligible probability
 */
export function externalIncomingViewingKey(key: FullViewingKey): IncomingViewingKey {
  const ivk = commitIvk(key.rivk, key.ak, key.nk)
  if (ivk === 0n) throw new ZcashError('invalid_key', 'contains an invalid Orchard full viewing key')
  return { dk: diversifierAndOutgoing(key).subarray(0, 32), ivk }
}

/**
 * Derives the internal incoming viewing key (ZIP 32, "Orchard internal key derivation"): the key of change and other
 * wallet-internal notes.
 * @throws ZcashError `invalid_key` with negligible probability
 */
export function internalIncomingViewingKey(key: FullViewingKey): IncomingViewingKey {
  return externalIncomingViewingKey(internalKey(key))
}

/**
 * Derives the external outgoing viewing key ovk, 32 bytes (protocol specification §4.2.3). It recovers the notes that
 * the account sent to others.
 */
export function externalOutgoingViewingKey(key: FullViewingKey): Uint8Array {
  return diversifierAndOutgoing(key).subarray(32)
}

/** Derives the ovk of wallet-internal transfers, 32 bytes (ZIP 32, "Orchard internal key derivation"). */
export function internalOutgoingViewingKey(key: FullViewingKey): Uint8Array {
  return externalOutgoingViewingKey(internalKey(key))
}

function internalKey(key: FullViewingKey): FullViewingKey {
  return { ...key, rivk: toScalar(expandKey(key, 0x83)) }
}

/** dk ‖ ovk, 64 bytes (protocol specification §4.2.3). */
function diversifierAndOutgoing(key: FullViewingKey): Uint8Array {
  return expandKey(key, 0x82)
}

function expandKey(key: FullViewingKey, domain: number): Uint8Array {
  return prfExpand(numberToBytesLE(key.rivk, 32), domain, numberToBytesLE(key.ak, 32), numberToBytesLE(key.nk, 32))
}
