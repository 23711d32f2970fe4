import { bytesToNumberLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { P, Q } from './pallas.ts'

const PERSONALIZATION = utf8ToBytes('Zcash_ExpandSeed')

/**
 * PRF^expand (protocol specification §5.4.2): BLAKE2b-512 of the key, a domain separation byte (0 to 255) and the
 * concatenated input, personalized with `Zcash_ExpandSeed`. Returns 64 bytes.
 */
export function prfExpand(key: Uint8Array, domain: number, ...input: Uint8Array[]): Uint8Array {
  return blake2b(concatBytes(key, Uint8Array.of(domain), ...input), { dkLen: 64, personalization: PERSONALIZATION })
}

/** ToBase^Orchard (protocol specification §4.2.3): little-endian bytes, reduced modulo p to a base field element. */
export function toBase(bytes: Uint8Array): bigint {
  return bytesToNumberLE(bytes) % P
}

/** ToScalar^Orchard (protocol specification §4.2.3): little-endian bytes, reduced modulo q to a scalar. */
export function toScalar(bytes: Uint8Array): bigint {
  return bytesToNumberLE(bytes) % Q
}
