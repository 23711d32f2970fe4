/**
 * hash_to_field of diversifiers (RFC 9380 §5.2 with expand_message_xmd over BLAKE2b-512; protocol specification §5.4.9.8):
 * two diversifiers at a time.
 */
import { compress, HASH, initHash, MESSAGE } from './blake2b'
import { canonicalize, canonicalWord } from './canonical'
import { mul } from './field'
import { INPUT, POINTS } from './layout'
import { ELEMENT, float, gather, storeNormalized } from './limbs'

/** Digest of 64 bytes, no key, fanout 1, depth 1. */
const PARAMETERS = memory.data<u64>([0x01010040, 0, 0, 0, 0, 0, 0, 0])
/** The second block of b_0: room for the diversifier, 128 as two bytes, 0, and DST_prime. The first one is zeros. */
const BLOCK_0 = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 0, 122, 46, 99, 97, 115, 104, 58, 79, 114, 99, 104, 97, 114, 100, 45, 103, 100, 45,
  112, 97, 108, 108, 97, 115, 95, 88, 77, 68, 58, 66, 76, 65, 75, 69, 50, 98, 95, 83, 83, 87, 85, 95, 82, 79, 95, 45, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
])
const BLOCK_0_LENGTH = 128 + 60
/** The block of b_1 and b_2: room for a digest and the number, and DST_prime. */
const BLOCK_I = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 122, 46, 99, 97, 115, 104, 58, 79, 114, 99, 104, 97, 114, 100, 45, 103, 100, 45, 112, 97, 108, 108, 97, 115, 95, 88, 77, 68, 58, 66, 76,
  65, 75, 69, 50, 98, 95, 83, 83, 87, 85, 95, 82, 79, 95, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
])
const BLOCK_I_LENGTH = 111
/** Bytes of a diversifier and its padding. */
const DIVERSIFIER: usize = 16

const AFTER_ZEROS = memory.data(16 * 8, 16)
const B0 = memory.data(16 * 8, 16)
const SUM = memory.data(80, 16)
/** 2^128 */
const TWO_128 = memory.data(80, 16)

/** Fills the tables of constants. Called once. */
export function initHashToField(): void {
  initHash(PARAMETERS)
  memory.fill(MESSAGE, 0, 256)
  compress(128, false)
  memory.copy(AFTER_ZEROS, HASH, 128)
  v128.store(TWO_128, f64x2.splat(f64(1 << 26)), 32)
}

/** Hashes `count` diversifiers, 16 bytes apart at POINTS, to two field elements each at INPUT, 64 bytes apart. */
export function hashDiversifiers(count: usize): void {
  for (let n: usize = 0; n < count; n += 2) {
    const last = min(n + 1, count - 1)
    memory.copy(HASH, AFTER_ZEROS, 128)
    loadBlock(BLOCK_0)
    for (let i: usize = 0; i < 16; i += 8) {
      const d = gather(POINTS + n * DIVERSIFIER + i, POINTS + last * DIVERSIFIER + i)
      v128.store(MESSAGE + 2 * i, v128.or(v128.load(MESSAGE + 2 * i), d))
    }
    compress(BLOCK_0_LENGTH, true)
    memory.copy(B0, HASH, 128)
    expand(1)
    storeElement(n, last, 0)
    for (let i: usize = 0; i < 128; i += 16) v128.store(B0 + i, v128.xor(v128.load(B0 + i), v128.load(HASH + i)))
    expand(2)
    storeElement(n, last, 32)
  }
}

/** Each word of a block in both lanes. */
function loadBlock(block: usize): void {
  for (let i: usize = 0; i < 16; i++) v128.store(MESSAGE + 16 * i, v128.load64_splat(block + 8 * i))
}

/** HASH = H(B0 ‖ number ‖ DST_prime) */
function expand(number: u64): void {
  loadBlock(BLOCK_I)
  memory.copy(MESSAGE, B0, 128)
  v128.store(MESSAGE, v128.or(v128.load(MESSAGE, 128), i64x2.splat(number)), 128)
  initHash(PARAMETERS)
  compress(BLOCK_I_LENGTH, true)
}

/** Stores the 64 bytes in HASH, as a number in big-endian order modulo p. */
function storeElement(item0: usize, item1: usize, offset: usize): void {
  memory.fill(SUM, 0, ELEMENT)
  for (let i: usize = 0; i < 8; i += 2) {
    const high = swap(v128.load(HASH + 16 * i))
    const low = swap(v128.load(HASH + 16 * i, 16))
    mul(SUM, SUM, TWO_128)
    storeNormalized(
      SUM,
      f64x2.add(v128.load(SUM), float(low)),
      f64x2.add(v128.load(SUM, 16), float(v128.or(i64x2.shr_u(low, 51), i64x2.shl(high, 13)))),
      f64x2.add(v128.load(SUM, 32), float(i64x2.shr_u(high, 38))),
      v128.load(SUM, 48),
      v128.load(SUM, 64),
    )
  }
  canonicalize(SUM)
  for (let i = 0; i < 4; i++) {
    const word = canonicalWord(i)
    store<u64>(INPUT + 64 * item1 + offset + 8 * i, i64x2.extract_lane(word, 1))
    store<u64>(INPUT + 64 * item0 + offset + 8 * i, i64x2.extract_lane(word, 0))
  }
}

// @ts-ignore: decorator
@inline function swap(x: v128): v128 {
  return i8x16.shuffle(x, x, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8)
}
