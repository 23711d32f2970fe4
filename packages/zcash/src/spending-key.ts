import { numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { expectLength, ZcashError } from './errors.ts'
import type { Network } from './network.ts'
import { groupHash } from './pallas.ts'
import { prfExpand, toBase, toScalar } from './prf-expand.ts'
import {
  encodeOrchardKey,
  externalIncomingViewingKey,
  type FullViewingKey,
  fullViewingKeyToBytes,
  type KeyExpiry,
} from './viewing-key.ts'

/** An Orchard extended spending key: a node of the key tree (ZIP 32, "Orchard extended keys"). */
export interface ExtendedSpendingKey {
  /** 32 bytes */
  readonly sk: Uint8Array
  /** 32 bytes */
  readonly chainCode: Uint8Array
}

const HARDENED = 2 ** 31

/**
 * Derives the Orchard spending key sk (32 bytes) at m/32'/coin_type'/account' (ZIP 32, "Orchard key path"). The seed is
 * 32 to 252 bytes; `coinType` and `account` are 0 to 2^31 − 1.
 * @throws ZcashError `invalid_seed`, `out_of_range`
 */
export function deriveOrchardSpendingKey(seed: Uint8Array, coinType: number, account: number): Uint8Array {
  return [32, coinType, account].reduce(deriveChildKey, deriveMasterKey(seed)).sk
}

/**
 * Derives the Orchard master extended spending key from a seed of 32 to 252 bytes (ZIP 32, "Orchard master key
 * generation").
 * @throws ZcashError `invalid_seed`
 */
export function deriveMasterKey(seed: Uint8Array): ExtendedSpendingKey {
  if (!(seed instanceof Uint8Array) || seed.length < 32 || seed.length > 252) {
    throw new ZcashError('invalid_seed', 'the seed must be 32 to 252 bytes')
  }
  return splitKey(blake2b(seed, { dkLen: 64, personalization: utf8ToBytes('ZcashIP32Orchard') }))
}

/**
 * Derives the hardened child at `index`', 0 to 2^31 − 1 without the hardening offset (ZIP 32, "Orchard child key
 * derivation").
 * @throws ZcashError `out_of_range`
 */
export function deriveChildKey(parent: ExtendedSpendingKey, index: number): ExtendedSpendingKey {
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED) {
    throw new ZcashError('out_of_range', 'a key index must be 0 to 2^31 − 1')
  }
  return splitKey(prfExpand(parent.chainCode, 0x81, parent.sk, numberToBytesLE(index + HARDENED, 4)))
}

function splitKey(bytes: Uint8Array): ExtendedSpendingKey {
  return { sk: bytes.slice(0, 32), chainCode: bytes.slice(32) }
}

/**
 * Derives the Orchard full viewing key (ak, nk, rivk) of a spending key of 32 bytes (protocol specification §4.2.3).
 * Not constant-time.
 * @throws ZcashError `wrong_length`; `invalid_key` for the negligible share of keys that the specification excludes
 */
export function deriveFullViewingKey(sk: Uint8Array): FullViewingKey {
  expectLength('an Orchard spending key', sk, 32)
  const ask = toScalar(prfExpand(sk, 0x06))
  if (ask === 0n) throw new ZcashError('invalid_key', 'is not a valid Orchard spending key')
  // The specification negates ask to fix the sign of ak. Only the x-coordinate is used, so the sign is irrelevant.
  const ak = groupHash('z.cash:Orchard', utf8ToBytes('G')).multiply(ask).toAffine().x
  const key = { ak, nk: toBase(prfExpand(sk, 0x07)), rivk: toScalar(prfExpand(sk, 0x08)) }
  externalIncomingViewingKey(key)
  return key
}

/**
 * Encodes a unified full viewing key (ZIP 316) with this key as its only key item: Revision 0 (`uview…`) without an
 * expiry, Revision 2 (`uvf…`) with one.
 * @throws ZcashError `out_of_range` for an invalid expiry
 */
export function encodeFullViewingKey(key: FullViewingKey, network: Network, expiry?: KeyExpiry): string {
  return encodeOrchardKey('ufvk', network, fullViewingKeyToBytes(key), expiry)
}
