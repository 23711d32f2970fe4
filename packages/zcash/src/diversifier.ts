import { BinaryFF1 } from '@noble/ciphers/ff1.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { expectLength, ZcashError } from './errors.ts'
import { groupHash, type PallasPoint } from './pallas.ts'

/** The largest diversifier index (ZIP 32, "Orchard diversifier derivation"). Indexes start at 0. */
const MAX_DIVERSIFIER_INDEX = 2n ** 88n - 1n

/**
 * Derives the diversifier d (11 bytes) at an index: FF1-AES256 under the diversifier key (ZIP 32, "Orchard diversifier
 * derivation"). `dk` is 32 bytes. Every index from 0 to 2^88 − 1 has a valid diversifier.
 * @throws ZcashError `out_of_range` for any other index
 */
export function deriveDiversifier(dk: Uint8Array, index: bigint): Uint8Array {
  if (typeof index !== 'bigint' || index < 0n || index > MAX_DIVERSIFIER_INDEX) {
    throw new ZcashError('out_of_range', 'the diversifier index must be 0 to 2^88 − 1')
  }
  return BinaryFF1(dk).encrypt(numberToBytesLE(index, 11))
}

/**
 * Recovers the index of a diversifier, 0 to 2^88 − 1: the inverse of {@link deriveDiversifier}. `dk` is 32 bytes, `d` is 11
 * bytes. Every `d` has an index, so the result does not prove that `d` was derived from this key.
 * @throws ZcashError `wrong_length` unless `d` is 11 bytes
 */
export function diversifierIndexOf(dk: Uint8Array, d: Uint8Array): bigint {
  expectLength('the diversifier', d, 11)
  return bytesToNumberLE(BinaryFF1(dk).decrypt(d))
}

/**
 * DiversifyHash^Orchard (protocol specification §5.4.1.6): the diversified base g_d of a diversifier (11 bytes). It is
 * never the identity.
 */
export function diversifyHash(d: Uint8Array): PallasPoint {
  const point = groupHash('z.cash:Orchard-gd', d)
  return point.is0() ? groupHash('z.cash:Orchard-gd', new Uint8Array()) : point
}
