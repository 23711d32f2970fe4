import { numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { expectLength, ZcashError } from './errors.ts'
import type { Network } from './network.ts'
import { groupHash } from './pallas.ts'
import { expand, toBase, toScalar } from './prf-expand.ts'
import {
  encodeOrchardKey,
  externalIncoming,
  type FullViewingKey,
  fullViewingKeyToBytes,
  type KeyExpiry,
} from './viewing-key.ts'

/** A node of the ZIP 32 Orchard tree. */
export interface ExtendedSpendingKey {
  /** 32 bytes */
  readonly sk: Uint8Array
  /** 32 bytes */
  readonly chainCode: Uint8Array
}

const HARDENED = 2 ** 31

/** sk, 32 bytes, at m/32'/coin'/account' (ZIP 32, "Orchard key path"). The seed is 32 to 252 bytes. */
export function orchardSpendingKey(seed: Uint8Array, coinType: number, account: number): Uint8Array {
  return [32, coinType, account].reduce(childKey, masterKey(seed)).sk
}

/** Throws `invalid_seed` unless the seed is 32 to 252 bytes. */
export function masterKey(seed: Uint8Array): ExtendedSpendingKey {
  if (!(seed instanceof Uint8Array) || seed.length < 32 || seed.length > 252) {
    throw new ZcashError('invalid_seed', 'the seed must be 32 to 252 bytes')
  }
  return splitKey(blake2b(seed, { dkLen: 64, personalization: utf8ToBytes('ZcashIP32Orchard') }))
}

/** The hardened child `index`', 0 to 2^31 − 1. */
export function childKey(parent: ExtendedSpendingKey, index: number): ExtendedSpendingKey {
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED) {
    throw new ZcashError('out_of_range', 'a key index must be 0 to 2^31 − 1')
  }
  return splitKey(expand(parent.chainCode, 0x81, parent.sk, numberToBytesLE(index + HARDENED, 4)))
}

function splitKey(bytes: Uint8Array): ExtendedSpendingKey {
  return { sk: bytes.slice(0, 32), chainCode: bytes.slice(32) }
}

/** ak, nk, rivk of a spending key (protocol specification §4.2.3). Throws `invalid_key` where the chain allows none. */
export function fullViewingKey(sk: Uint8Array): FullViewingKey {
  expectLength('an Orchard spending key', sk, 32)
  const ask = toScalar(expand(sk, 0x06))
  if (ask === 0n) throw new ZcashError('invalid_key', 'is no valid Orchard spending key')
  // Only the x-coordinate is kept, so the sign that the specification fixes by negating ask makes no difference here.
  const ak = groupHash('z.cash:Orchard', utf8ToBytes('G')).multiply(ask).toAffine().x
  const key = { ak, nk: toBase(expand(sk, 0x07)), rivk: toScalar(expand(sk, 0x08)) }
  externalIncoming(key)
  return key
}

/** A UFVK whose only key is this one: of Revision 0 (`uview…`), or of Revision 2 (`uvf…`) where it expires. */
export function encodeFullViewingKey(key: FullViewingKey, network: Network, expiry?: KeyExpiry): string {
  return encodeOrchardKey('ufvk', network, fullViewingKeyToBytes(key), expiry)
}
