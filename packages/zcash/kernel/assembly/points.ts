/** Decoding and encoding of points (repr_P of protocol specification §5.4.9.6). */
import { CANONICAL, canonicalize, canonicalParity, canonicalWord, encodeWords, readElement } from './canonical'
import { mul, sqr } from './field'
import { ACCUMULATORS, INPUT, INPUT_ITEM, OUTPUT, POINT, POINTS } from './layout'
import { ELEMENT, gather, scatter, storeNormalized } from './limbs'
import { squareRoot } from './root'

const X = memory.data(80, 16)
const Y = memory.data(80, 16)
const WORDS = memory.data(64, 16)

/**
 * Decodes `count` points of 32 bytes, 40 bytes apart from INPUT on, to POINTS, with 1 or 0 for each at OUTPUT: 0 for an encoding that is not
 * canonical or not on the curve. Twin: `decodePoint` of pallas.ts.
 */
export function decodePoints(count: usize): void {
  for (let n: usize = 0; n < count; n += 2) {
    const last = min(n + 1, count - 1)
    const lane0 = INPUT + INPUT_ITEM * n
    const lane1 = INPUT + INPUT_ITEM * last
    readElement(X, lane0, lane1)
    canonicalize(X)
    let valid = i64x2.splat(-1)
    for (let i = 0; i < 4; i++) {
      let given = gather(lane0 + 8 * i, lane1 + 8 * i)
      if (i == 3) given = v128.and(given, i64x2.splat(0x7fffffffffffffff))
      valid = v128.and(valid, i64x2.eq(given, canonicalWord(i)))
    }
    sqr(Y, X)
    mul(Y, Y, X)
    v128.store(Y, f64x2.add(v128.load(Y), f64x2.splat(5)))
    const squares = squareRoot(Y, Y)
    canonicalize(Y)
    const odd = i64x2.shr_u(gather(lane0 + 24, lane1 + 24), 63)
    const signs = i64x2.shl(v128.xor(odd, canonicalParity()), 63)
    for (let i: usize = 0; i < ELEMENT; i += 16) v128.store(Y + i, v128.xor(v128.load(Y + i), signs))
    const point0 = POINTS + n * POINT
    const point1 = POINTS + last * POINT
    scatter(X, point0, point1)
    scatter(Y, point0 + 40, point1 + 40)
    store<u8>(OUTPUT + last, <u8>(i64x2.extract_lane(valid, 1) & (squares >> 1) & 1))
    store<u8>(OUTPUT + n, <u8>(i64x2.extract_lane(valid, 0) & squares & 1))
  }
}

/**
 * Writes the encodings of `count` accumulated points from `first` on, 32 bytes each, to OUTPUT. Both are even. Twin:
 * `encodePoint` of pallas.ts.
 */
export function encodeAccumulators(first: usize, count: usize): void {
  for (let n: usize = 0; n < count; n += 2) {
    encodeWords(WORDS, ACCUMULATORS + (first + n) * ELEMENT)
    const out = OUTPUT + 32 * n
    for (let i: usize = 0; i < 4; i++) {
      store<u64>(out + 8 * i, load<u64>(WORDS + 16 * i))
      store<u64>(out + 8 * i, load<u64>(WORDS + 16 * i, 8), 32)
    }
  }
}

/** Whether the first `count` accumulated points, an even number, are on the curve y² = x³ + 5. */
export function areOnCurve(count: usize): bool {
  let difference = i64x2.splat(0)
  for (let n: usize = 0; n < count; n += 2) {
    const x = ACCUMULATORS + n * ELEMENT
    sqr(X, x)
    mul(X, X, x)
    sqr(Y, x + ELEMENT)
    storeNormalized(Y, rest(0), rest(16), rest(32), rest(48), rest(64))
    canonicalize(Y)
    // 5 in the lowest limb and 0 in the others
    difference = v128.or(difference, v128.xor(v128.load(CANONICAL), i64x2.splat(5)))
    for (let i: usize = 16; i < ELEMENT; i += 16) difference = v128.or(difference, v128.load(CANONICAL + i))
  }
  return !v128.any_true(difference)
}

// @ts-ignore: decorator
@inline function rest(at: usize): v128 { return f64x2.sub(v128.load(Y + at), v128.load(X + at)) }
