import { BinaryFF1 } from '@noble/ciphers/ff1.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { expectLength, ZcashError } from './errors.ts'
import { groupHash, type PallasPoint } from './pallas.ts'

export const MAX_DIVERSIFIER_INDEX = 2n ** 88n - 1n

/** d = FF1-AES256(dk, index) (ZIP 32, "Orchard diversifier derivation"): 11 bytes; every index has one. */
export function diversifier(dk: Uint8Array, index: bigint): Uint8Array {
  if (typeof index !== 'bigint' || index < 0n || index > MAX_DIVERSIFIER_INDEX) {
    throw new ZcashError('out_of_range', 'the diversifier index must be 0 to 2^88 − 1')
  }
  return BinaryFF1(dk).encrypt(numberToBytesLE(index, 11))
}

/** The index whose diversifier under `dk` is `d`; every 11 bytes are some index's. */
export function indexOfDiversifier(dk: Uint8Array, d: Uint8Array): bigint {
  expectLength('the diversifier', d, 11)
  return bytesToNumberLE(BinaryFF1(dk).decrypt(d))
}

/** DiversifyHash^Orchard (protocol specification §5.4.1.6): g_d, never the identity. */
export function diversifyHash(d: Uint8Array): PallasPoint {
  const point = groupHash('z.cash:Orchard-gd', d)
  return point.is0() ? groupHash('z.cash:Orchard-gd', new Uint8Array()) : point
}
