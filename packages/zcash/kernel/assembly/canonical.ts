/** Conversion between elements and their 32-byte encodings in little-endian order. */
import { C2, ELEMENT, float, gather, MASK, storeNormalized } from './limbs'

/** The number in [0, p) that an element stands for: 5 limbs of 51 bits in each lane, as integers. */
export const CANONICAL = memory.data(80, 16)

/** 2p and p with 2^53 more in the lower limbs, which the next limb lends: no limb gets negative. */
const TWO_P = memory.data<u64>([9677738138927106, 10980080642090567, 9007199272711363, 9007199254740988, 2251799813685244])
const ONE_P = memory.data<u64>([10468368603676673, 11119539855258401, 9007199263726175, 9007199254740988, 1125899906842620])
/** p = 2^254 + c */
const LOW_PART = memory.data<u64>([1461169348935681, 2112340600517413, 8985187])
/** 2^255 − p */
const COMPLEMENT = memory.data<u64>([790630464749567, 139459213167834, 2251799804700060, 2251799813685247, 1125899906842623])

// @ts-ignore: decorator
@inline function both(at: usize, i: usize): v128 { return v128.load64_splat(at + 8 * i) }

/** Computes {@link CANONICAL} of an element. */
export function canonicalize(a: usize): void {
  let t = i64x2.splat(0)
  for (let i: usize = 0; i < 5; i++) {
    const integer = i64x2.sub(f64x2.add(v128.load(a + 16 * i), C2()), C2())
    t = i64x2.add(i64x2.add(integer, both(TWO_P, i)), i64x2.shr_u(t, 51))
    v128.store(CANONICAL + 16 * i, i < 4 ? v128.and(t, MASK()) : t)
  }
  // Above 2^254 − 1 are 0 to 3: each is worth −c.
  const quotient = i64x2.shr_u(t, 50)
  const odd = i64x2.neg(v128.and(quotient, i64x2.splat(1)))
  const two = i64x2.neg(i64x2.shr_u(quotient, 1))
  v128.store(CANONICAL + 64, v128.and(t, i64x2.splat((1 << 50) - 1)))
  t = i64x2.splat(0)
  for (let i: usize = 0; i < 5; i++) {
    let limb = i64x2.add(v128.load(CANONICAL + 16 * i), both(ONE_P, i))
    if (i < 3) {
      const c = both(LOW_PART, i)
      limb = i64x2.sub(i64x2.sub(limb, v128.and(c, odd)), v128.and(i64x2.shl(c, 1), two))
    }
    t = i64x2.add(limb, i64x2.shr_u(t, 51))
    v128.store(CANONICAL + 16 * i, i < 4 ? v128.and(t, MASK()) : t)
  }
  // Now in [0, 2p). Bit 255 of the sum with 2^255 − p says whether p is to be subtracted.
  t = i64x2.splat(0)
  for (let i: usize = 0; i < 5; i++) {
    t = i64x2.add(i64x2.add(v128.load(CANONICAL + 16 * i), both(COMPLEMENT, i)), i64x2.shr_u(t, 51))
    v128.store(REDUCED + 16 * i, v128.and(t, MASK()))
  }
  const isAbove = i64x2.neg(i64x2.shr_u(t, 51))
  for (let i: usize = 0; i < ELEMENT; i += 16) {
    v128.store(CANONICAL + i, v128.bitselect(v128.load(REDUCED + i), v128.load(CANONICAL + i), isAbove))
  }
}

const REDUCED = memory.data(80, 16)

/** Word `i` of the 32 bytes of {@link CANONICAL}, in both lanes. */
// @ts-ignore: decorator
@inline export function canonicalWord(i: i32): v128 {
  const low = v128.load(CANONICAL + 16 * i)
  const high = v128.load(CANONICAL + 16 * i, 16)
  return v128.or(i64x2.shr_u(low, 13 * i), i64x2.shl(high, 51 - 13 * i))
}

/** 1 in the lanes where {@link CANONICAL} is odd. */
// @ts-ignore: decorator
@inline export function canonicalParity(): v128 {
  return v128.and(v128.load(CANONICAL), i64x2.splat(1))
}

/**
 * Writes the encodings (repr_P) of the points of both lanes to 4 words of both lanes. x and y follow each other.
 */
export function encodeWords(words: usize, x: usize): void {
  canonicalize(x + ELEMENT)
  const signs = i64x2.shl(canonicalParity(), 63)
  canonicalize(x)
  for (let i = 0; i < 4; i++) {
    const word = canonicalWord(i)
    v128.store(words + 16 * i, i == 3 ? v128.or(word, signs) : word)
  }
}

/** Reads the low 255 bits of 32 bytes at two addresses, one for each lane. */
export function readElement(out: usize, lane0: usize, lane1: usize): void {
  const w0 = gather(lane0, lane1)
  const w1 = gather(lane0 + 8, lane1 + 8)
  const w2 = gather(lane0 + 16, lane1 + 16)
  const w3 = gather(lane0 + 24, lane1 + 24)
  storeNormalized(
    out,
    float(w0),
    float(v128.or(i64x2.shr_u(w0, 51), i64x2.shl(w1, 13))),
    float(v128.or(i64x2.shr_u(w1, 38), i64x2.shl(w2, 26))),
    float(v128.or(i64x2.shr_u(w2, 25), i64x2.shl(w3, 39))),
    float(i64x2.shr_u(w3, 12)),
  )
}
