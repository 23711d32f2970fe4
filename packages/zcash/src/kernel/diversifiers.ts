import { unsafe } from '@noble/ciphers/aes.js'
import { numberToBytesBE, numberToBytesLE } from '@noble/curves/utils.js'

const HALF_BITS = 44n
const ROUNDS = 10
/** Bytes of a half in a round's input, and of the output that is added to the other half (FF1 with n = 88). */
const HALF_BYTES = 6
const SUM_BYTES = 12
/** P of FF1: radix 2, 10 rounds, halves of 44 bits of 88, no tweak. */
const PARAMETERS = Uint8Array.of(1, 2, 1, 0, 0, 2, 10, 44, 0, 0, 0, 88, 0, 0, 0, 0)

/**
 * Returns the function from an index, 0 to 2^88 − 1, to its diversifier of 11 bytes. FF1-AES256 of one key at 88 bits,
 * with all that the indexes share computed once. Twin: `deriveDiversifier`.
 */
export function createDiversifiers(dk: Uint8Array): (index: bigint) => Uint8Array {
  const { expandKeyLE, encryptBlock } = unsafe
  const roundKeys = expandKeyLE(dk)
  const prefix = encryptBlock(roundKeys, PARAMETERS.slice())
  return index => {
    let [a, b] = [0n, 1n].map(half => reverse(BigInt.asUintN(44, index >> (half * HALF_BITS)))) as [bigint, bigint]
    for (let round = 0; round < ROUNDS; round++) {
      const block = prefix.slice()
      block[15 - HALF_BYTES]! ^= round
      for (const [i, byte] of numberToBytesBE(b, HALF_BYTES).entries()) block[16 - HALF_BYTES + i]! ^= byte
      encryptBlock(roundKeys, block)
      // Only the last 44 of the 96 bits count.
      const view = new DataView(block.buffer, SUM_BYTES - 8, 8)
      ;[a, b] = [b, BigInt.asUintN(44, a + view.getBigUint64(0))]
    }
    return numberToBytesLE(reverse(a) | (reverse(b) << HALF_BITS), 11)
  }
}

/** Reverses 44 bits: FF1 reads the first bit as the highest one. */
function reverse(half: bigint): bigint {
  return (reverse22(Number(half & 0x3fffffn)) << 22n) | reverse22(Number(half >> 22n))
}

function reverse22(bits: number): bigint {
  let result = 0
  for (let i = 0; i < 22; i++) result |= ((bits >>> i) & 1) << (21 - i)
  return BigInt(result)
}
