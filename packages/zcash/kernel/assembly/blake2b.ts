/** BLAKE2b (RFC 7693) of two messages at a time, one in each lane. */

const IV = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
])
/** Message words of the mixing steps of ten rounds; the rounds 11 and 12 repeat the first two. */
const SIGMA = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
  11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
  7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
  9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
  2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
  12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
  13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
  6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
  10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
])
/** A block of 16 words, in both lanes. */
export const MESSAGE = memory.data(16 * 16, 16)
/** The 8 words of the hash, in both lanes. */
export const HASH = memory.data(16 * 8, 16)
const STATE = memory.data(16 * 16, 16)

// @ts-ignore: decorator
@inline function rotate(x: v128, bits: i32): v128 {
  return v128.or(i64x2.shr_u(x, bits), i64x2.shl(x, 64 - bits))
}

// @ts-ignore: decorator
@inline function mix(a: usize, b: usize, c: usize, d: usize, words: usize): void {
  let va = v128.load(STATE + 16 * a), vb = v128.load(STATE + 16 * b)
  let vc = v128.load(STATE + 16 * c), vd = v128.load(STATE + 16 * d)
  va = i64x2.add(i64x2.add(va, vb), v128.load(MESSAGE + 16 * <usize>load<u8>(words)))
  vd = v128.xor(vd, va)
  vd = i8x16.shuffle(vd, vd, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11)
  vc = i64x2.add(vc, vd)
  vb = v128.xor(vb, vc)
  vb = i8x16.shuffle(vb, vb, 3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10)
  va = i64x2.add(i64x2.add(va, vb), v128.load(MESSAGE + 16 * <usize>load<u8>(words, 1)))
  vd = v128.xor(vd, va)
  vd = i8x16.shuffle(vd, vd, 2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9)
  vc = i64x2.add(vc, vd)
  vb = rotate(v128.xor(vb, vc), 63)
  v128.store(STATE + 16 * a, va)
  v128.store(STATE + 16 * b, vb)
  v128.store(STATE + 16 * c, vc)
  v128.store(STATE + 16 * d, vd)
}

/** Starts a hash. `parameters`: 8 words of the parameter block. */
export function initHash(parameters: usize): void {
  for (let i: usize = 0; i < 8; i++) {
    v128.store(HASH + 16 * i, i64x2.splat(load<u64>(IV + 8 * i) ^ load<u64>(parameters + 8 * i)))
  }
}

/** Compresses the block in MESSAGE to HASH. `length`: bytes of all blocks so far. */
export function compress(length: u64, isLast: bool): void {
  for (let i: usize = 0; i < 8; i++) {
    v128.store(STATE + 16 * i, v128.load(HASH + 16 * i))
    v128.store(STATE + 16 * (i + 8), v128.load64_splat(IV + 8 * i))
  }
  v128.store(STATE, i64x2.splat(load<u64>(IV, 32) ^ length), 192)
  if (isLast) v128.store(STATE, i64x2.splat(~load<u64>(IV, 48)), 224)
  for (let round: usize = 0; round < 12; round++) {
    const words = SIGMA + 16 * (round % 10)
    mix(0, 4, 8, 12, words)
    mix(1, 5, 9, 13, words + 2)
    mix(2, 6, 10, 14, words + 4)
    mix(3, 7, 11, 15, words + 6)
    mix(0, 5, 10, 15, words + 8)
    mix(1, 6, 11, 12, words + 10)
    mix(2, 7, 8, 13, words + 12)
    mix(3, 4, 9, 14, words + 14)
  }
  for (let i: usize = 0; i < 8; i++) {
    const folded = v128.xor(v128.load(STATE + 16 * i), v128.load(STATE + 16 * (i + 8)))
    v128.store(HASH + 16 * i, v128.xor(v128.load(HASH + 16 * i), folded))
  }
}
