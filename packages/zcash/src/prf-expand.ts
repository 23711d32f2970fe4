import { bytesToNumberLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { P, Q } from './pallas.ts'

const PERSONALIZATION = utf8ToBytes('Zcash_ExpandSeed')

/** PRF^expand (protocol specification §5.4.2): 64 bytes of BLAKE2b over key, domain byte and input. */
export function expand(key: Uint8Array, domain: number, ...input: Uint8Array[]): Uint8Array {
  return blake2b(concatBytes(key, Uint8Array.of(domain), ...input), { dkLen: 64, personalization: PERSONALIZATION })
}

/** ToBase^Orchard */
export function toBase(bytes: Uint8Array): bigint {
  return bytesToNumberLE(bytes) % P
}

/** ToScalar^Orchard */
export function toScalar(bytes: Uint8Array): bigint {
  return bytesToNumberLE(bytes) % Q
}
