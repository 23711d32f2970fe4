/**
 * The base field of Pallas, two elements at a time: one in each lane of a v128.
 *
 * An element is 5 limbs of 51 bits, balanced: integers of about −2^50 to 2^50 stored as f64 (80 bytes: limb 0 of both
 * lanes, limb 1 of both lanes, …). A product of two limbs is split exactly at 2^51 by two fused multiply-adds:
 *
 *   high = fma(a, b, C)            C = 1.5·2^103, so the sum is rounded to a multiple of 2^51
 *   low  = fma(a, b, C + C2 − high)  C2 = 1.5·2^52, so the sum is an integer in the last bits of the mantissa
 *
 * The bits of both are summed as integers; the constant upper bits are subtracted once, in the initial values of the
 * columns. A column is carried when its 51 bits go back to a limb. Limbs above 2^255 are folded with
 * 2^255 ≡ E (mod p), E = 2^255 − 2p, of 127 bits.
 *
 * Bounds: |a_i|·|b_j| < 2^102. A product has limbs of at most 2^50 + 2^12, so one operand of a product may be the
 * difference or sum of two elements; a longer sum is normalized first.
 */

export const ELEMENT: usize = 80
const LIMB_BITS = 51
const C_BITS: u64 = 0x4668000000000000
const C2_BITS: u64 = 0x4338000000000000
/** Makes a column positive, and rounds to the nearest multiple of 2^51. */
const CARRY_BIAS: u64 = (1 << 62) + (1 << 50)
/** The amount that CARRY_BIAS adds to the next column. */
const CARRIED_BIAS: u64 = 1 << 11

// Constants are loaded from memory: V8 builds a v128.const anew at each use, which takes longer than a load.
const CONSTANTS = memory.data(16 * 16, 16)
export const MUL_BIASES = memory.data(16 * 10, 16)
export const SQR_BIASES = memory.data(16 * 10, 16)
export const FOLD_BIASES = memory.data(16 * 4, 16)

// @ts-ignore: decorator
@inline function constant(index: usize): v128 { return v128.load(CONSTANTS + 16 * index) }
// @ts-ignore: decorator
@inline export function C(): v128 { return constant(0) }
// @ts-ignore: decorator
@inline export function C_PLUS_C2(): v128 { return constant(1) }
// @ts-ignore: decorator
@inline export function C2(): v128 { return constant(2) }
/** The low 51 bits. */
// @ts-ignore: decorator
@inline export function MASK(): v128 { return constant(3) }
/** 2^52: its bits, or-ed with an integer below it, are 2^52 + that integer. */
// @ts-ignore: decorator
@inline export function EXPONENT(): v128 { return constant(4) }
// @ts-ignore: decorator
@inline export function EXPONENT_AND_HALF(): v128 { return constant(5) }
// @ts-ignore: decorator
@inline export function EXPONENT_OF_LAST(): v128 { return constant(6) }
// @ts-ignore: decorator
@inline export function E0(): v128 { return constant(7) }
// @ts-ignore: decorator
@inline export function E1(): v128 { return constant(8) }
// @ts-ignore: decorator
@inline export function E2(): v128 { return constant(9) }
/** 2^−51 */
// @ts-ignore: decorator
@inline export function SHIFT(): v128 { return constant(10) }

/** Two numbers at separate addresses, one for each lane. */
// @ts-ignore: decorator
@inline export function gather(lane0: usize, lane1: usize): v128 {
  return v128.load_lane<u64>(lane1, v128.load_zero<u64>(lane0), 1)
}

/** Writes both lanes of an element to two addresses. */
export function scatter(a: usize, lane0: usize, lane1: usize): void {
  for (let i: usize = 0; i < 5; i++) {
    store<f64>(lane1 + 8 * i, load<f64>(a + 16 * i, 8))
    store<f64>(lane0 + 8 * i, load<f64>(a + 16 * i))
  }
}

/** Fills the tables of constants. Called once. */
export function initField(): void {
  v128.store(CONSTANTS, i64x2.splat(C_BITS))
  v128.store(CONSTANTS, f64x2.add(i64x2.splat(C_BITS), i64x2.splat(C2_BITS)), 16)
  v128.store(CONSTANTS, i64x2.splat(C2_BITS), 32)
  v128.store(CONSTANTS, i64x2.splat((1 << 51) - 1), 48)
  v128.store(CONSTANTS, f64x2.splat(f64(1 << 52)), 64)
  v128.store(CONSTANTS, f64x2.splat(f64((1 << 52) + (1 << 50))), 80)
  v128.store(CONSTANTS, f64x2.splat(f64((1 << 52) + (1 << 50) + CARRIED_BIAS)), 96)
  v128.store(CONSTANTS, f64x2.splat(-670538884186114.0), 112)
  v128.store(CONSTANTS, f64x2.splat(278918426335669.0), 128)
  v128.store(CONSTANTS, f64x2.splat(-17970376.0), 144)
  v128.store(CONSTANTS, f64x2.splat(1.0 / f64(1 << 51)), 160)
  for (let k = 0; k < 10; k++) {
    v128.store(MUL_BIASES + 16 * k, i64x2.splat(bias(k, pairs(k), pairs(k - 1))))
    v128.store(SQR_BIASES + 16 * k, i64x2.splat(bias(k, (pairs(k) + 1) / 2, (pairs(k - 1) + 1) / 2)))
  }
  // Columns 5 to 7 after the limbs 8 and 9 are folded: three, two and no low parts; two or three high parts.
  v128.store(FOLD_BIASES, i64x2.splat((1 << 62) - 2 * C2_BITS - 2 * C_BITS))
  v128.store(FOLD_BIASES, i64x2.splat((1 << 62) - CARRIED_BIAS - C2_BITS - 2 * C_BITS), 16)
  v128.store(FOLD_BIASES, i64x2.splat(C2_BITS - (1 << 50) - CARRIED_BIAS - C_BITS), 32)
  v128.store(FOLD_BIASES, i64x2.splat(C2_BITS - CARRIED_BIAS - C_BITS), 48)
}

/** The number of products a_i·b_j with i + j = k. */
function pairs(k: i32): u64 {
  return k < 0 ? 0 : k <= 4 ? k + 1 : k <= 8 ? 9 - k : 0
}

/** Low and high parts that the folds add to the columns 0 to 4. */
const FOLDED_LOWS = memory.data<u8>([2, 3, 4, 3, 3])
const FOLDED_HIGHS = memory.data<u8>([0, 2, 3, 3, 3])

/** The initial value of column k, which gets these numbers of low and high parts of products. */
function bias(k: i32, lows: u64, highs: u64): u64 {
  if (k <= 4) {
    lows += load<u8>(FOLDED_LOWS + k)
    highs += load<u8>(FOLDED_HIGHS + k)
  }
  let result = 0 - lows * C2_BITS - highs * C_BITS
  result += k < 9 ? CARRY_BIAS : C2_BITS
  if (k != 0 && k != 4 && k != 5) result -= CARRIED_BIAS
  return result
}

/** The product without its last 51 bits, as a multiple of 2^51 plus C. */
// @ts-ignore: decorator
@inline export function high(a: v128, b: v128): v128 { return f64x2.relaxed_madd(a, b, C()) }
/** The rest of the product, −2^50 to 2^50, plus C2. */
// @ts-ignore: decorator
@inline export function low(a: v128, b: v128, h: v128): v128 { return f64x2.relaxed_madd(a, b, f64x2.sub(C_PLUS_C2(), h)) }
// @ts-ignore: decorator
@inline export function carry(t: v128): v128 { return i64x2.shr_u(t, LIMB_BITS) }
/** The last bits of a column with what the column below carries. */
// @ts-ignore: decorator
@inline export function carried(t: v128, below: v128): v128 { return i64x2.add(v128.and(t, MASK()), carry(below)) }
// @ts-ignore: decorator
@inline function toLimb(bits: v128): v128 { return f64x2.sub(v128.or(bits, EXPONENT()), EXPONENT_AND_HALF()) }
/** The limb of a column. */
// @ts-ignore: decorator
@inline export function limb(t: v128): v128 { return toLimb(v128.and(t, MASK())) }
/** The same with what the column below carries. */
// @ts-ignore: decorator
@inline export function carriedLimb(t: v128, below: v128): v128 { return toLimb(carried(t, below)) }

/** The low 51 bits of integers as limbs. */
// @ts-ignore: decorator
@inline export function float(bits: v128): v128 {
  return f64x2.sub(v128.or(v128.and(bits, MASK()), EXPONENT()), EXPONENT())
}

/** The part of a limb above its last 51 bits, rounded. */
// @ts-ignore: decorator
@inline function excess(x: v128): v128 { return f64x2.sub(f64x2.add(x, C()), C()) }
/** A limb without its excess, and with that of the limb below. */
// @ts-ignore: decorator
@inline function settled(x: v128, own: v128, below: v128): v128 {
  return f64x2.relaxed_madd(below, SHIFT(), f64x2.sub(x, own))
}

/** Stores the element Σ x_k·2^(51k) with normal limbs. The given limbs are below 2^53 − 2^51. */
// @ts-ignore: decorator
@inline export function storeNormalized(out: usize, x0: v128, x1: v128, x2: v128, x3: v128, x4: v128): void {
  const c4 = excess(x4), top = f64x2.mul(c4, SHIFT())
  x0 = f64x2.relaxed_madd(top, E0(), x0)
  x1 = f64x2.relaxed_madd(top, E1(), x1)
  x2 = f64x2.relaxed_madd(top, E2(), x2)
  const c0 = excess(x0), c1 = excess(x1), c2 = excess(x2), c3 = excess(x3)
  v128.store(out, f64x2.sub(x0, c0))
  v128.store(out, settled(x1, c1, c0), 16)
  v128.store(out, settled(x2, c2, c1), 32)
  v128.store(out, settled(x3, c3, c2), 48)
  v128.store(out, settled(x4, c4, c3), 64)
}

const SCRATCH = memory.data(16, 16)

/** Whether `relaxed_madd` rounds once: (2^51 − 1)² loses its last bit otherwise. */
export function isFused(): bool {
  const a = f64x2.splat(f64((1 << 51) - 1))
  v128.store(SCRATCH, a) // not known at compile time
  const x = v128.load(SCRATCH)
  const h = high(x, x)
  return i64x2.extract_lane(low(x, x, h), 0) == C2_BITS + 1
}
