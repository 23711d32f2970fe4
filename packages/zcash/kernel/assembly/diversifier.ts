/** Diversifiers of indexes: FF1-AES256 (NIST SP 800-38G) with radix 2, 88 bits, 10 rounds and no tweak, as in ZIP 32. */
import { encryptBlock, ROUND_KEYS } from './aes'
import { INPUT, POINTS } from './layout'

const ROUNDS: u64 = 10
const HALF_MASK: u64 = (1 << 44) - 1
/** Bytes of a diversifier and its padding. */
const DIVERSIFIER: usize = 16
/** P of FF1: 10 rounds, halves of 44 bits of 88. */
const PARAMETERS = memory.data<u8>([1, 2, 1, 0, 0, 2, 10, 44, 0, 0, 0, 88, 0, 0, 0, 0])
/** The encryption of P, which every round begins with. */
const PREFIX = memory.data(16, 8)
const BLOCK = memory.data(16, 8)

/**
 * Writes the diversifiers of `count` indexes from `high`·2^64 + `low` on, 16 bytes apart, to POINTS. The expanded AES key
 * is at INPUT. Twin: `deriveDiversifier`.
 */
export function deriveDiversifiers(low: u64, high: u64, count: usize): void {
  memory.copy(ROUND_KEYS, INPUT, 240)
  memory.copy(PREFIX, PARAMETERS, 16)
  encryptBlock(PREFIX)
  for (let n: usize = 0; n < count; n++) {
    const index = low + n
    const carried = high + (index < low ? 1 : 0)
    let a = reverse(index & HALF_MASK)
    let b = reverse((index >> 44) | ((carried << 20) & HALF_MASK))
    for (let round: u64 = 0; round < ROUNDS; round++) {
      // Q: the number of the round in byte 9, and b in the bytes 10 to 15, in big-endian order
      store<u64>(BLOCK, load<u64>(PREFIX))
      store<u64>(BLOCK, load<u64>(PREFIX, 8) ^ bswap<u64>(b) ^ (round << 8), 8)
      encryptBlock(BLOCK)
      // Of the sum, the 12 first bytes as a number, only 44 bits count.
      const sum = (a + bswap<u64>(load<u64>(BLOCK, 4))) & HALF_MASK
      a = b
      b = sum
    }
    const first = reverse(a), second = reverse(b)
    store<u64>(POINTS + n * DIVERSIFIER, first | (second << 44))
    store<u64>(POINTS + n * DIVERSIFIER, second >> 20, 8)
  }
}

/** Reverses 44 bits: FF1 reads the first bit as the highest one. */
function reverse(half: u64): u64 {
  let x = half
  x = ((x >> 1) & 0x5555555555555555) | ((x & 0x5555555555555555) << 1)
  x = ((x >> 2) & 0x3333333333333333) | ((x & 0x3333333333333333) << 2)
  x = ((x >> 4) & 0x0f0f0f0f0f0f0f0f) | ((x & 0x0f0f0f0f0f0f0f0f) << 4)
  return bswap<u64>(x) >> 20
}
