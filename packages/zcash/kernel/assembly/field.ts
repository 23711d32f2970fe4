/**
 * Multiplication and powers of elements. See limbs.ts.
 *
 * The time of a product is that of its longest chain of instructions. So the upper columns come first, because the folds
 * wait for them, and columns are carried side by side: what a carry brings is not carried on.
 */
import {
  C2, carried, carriedLimb, carry, E0, E1, E2, ELEMENT, EXPONENT, EXPONENT_OF_LAST, FOLD_BIASES, high, limb, low, MASK,
  MUL_BIASES, SQR_BIASES,
} from './limbs'

/** out = a·b. The operands may overlap the result. */
export function mul(out: usize, a: usize, b: usize): void {
  const a0 = v128.load(a, 0), a1 = v128.load(a, 16), a2 = v128.load(a, 32), a3 = v128.load(a, 48), a4 = v128.load(a, 64)
  const b0 = v128.load(b, 0), b1 = v128.load(b, 16), b2 = v128.load(b, 32), b3 = v128.load(b, 48), b4 = v128.load(b, 64)
  let h: v128
  let t9 = v128.load(MUL_BIASES, 144)
  let t8 = v128.load(MUL_BIASES, 128)
  h = high(a4, b4); t8 = i64x2.add(t8, low(a4, b4, h)); t9 = i64x2.add(t9, h)
  let t7 = v128.load(MUL_BIASES, 112)
  h = high(a3, b4); t7 = i64x2.add(t7, low(a3, b4, h)); t8 = i64x2.add(t8, h)
  h = high(a4, b3); t7 = i64x2.add(t7, low(a4, b3, h)); t8 = i64x2.add(t8, h)
  let t6 = v128.load(MUL_BIASES, 96)
  h = high(a2, b4); t6 = i64x2.add(t6, low(a2, b4, h)); t7 = i64x2.add(t7, h)
  h = high(a3, b3); t6 = i64x2.add(t6, low(a3, b3, h)); t7 = i64x2.add(t7, h)
  h = high(a4, b2); t6 = i64x2.add(t6, low(a4, b2, h)); t7 = i64x2.add(t7, h)
  let t5 = v128.load(MUL_BIASES, 80)
  h = high(a1, b4); t5 = i64x2.add(t5, low(a1, b4, h)); t6 = i64x2.add(t6, h)
  h = high(a2, b3); t5 = i64x2.add(t5, low(a2, b3, h)); t6 = i64x2.add(t6, h)
  h = high(a3, b2); t5 = i64x2.add(t5, low(a3, b2, h)); t6 = i64x2.add(t6, h)
  h = high(a4, b1); t5 = i64x2.add(t5, low(a4, b1, h)); t6 = i64x2.add(t6, h)
  let t4 = v128.load(MUL_BIASES, 64)
  h = high(a0, b4); t4 = i64x2.add(t4, low(a0, b4, h)); t5 = i64x2.add(t5, h)
  h = high(a1, b3); t4 = i64x2.add(t4, low(a1, b3, h)); t5 = i64x2.add(t5, h)
  h = high(a2, b2); t4 = i64x2.add(t4, low(a2, b2, h)); t5 = i64x2.add(t5, h)
  h = high(a3, b1); t4 = i64x2.add(t4, low(a3, b1, h)); t5 = i64x2.add(t5, h)
  h = high(a4, b0); t4 = i64x2.add(t4, low(a4, b0, h)); t5 = i64x2.add(t5, h)
  let t3 = v128.load(MUL_BIASES, 48)
  h = high(a0, b3); t3 = i64x2.add(t3, low(a0, b3, h)); t4 = i64x2.add(t4, h)
  h = high(a1, b2); t3 = i64x2.add(t3, low(a1, b2, h)); t4 = i64x2.add(t4, h)
  h = high(a2, b1); t3 = i64x2.add(t3, low(a2, b1, h)); t4 = i64x2.add(t4, h)
  h = high(a3, b0); t3 = i64x2.add(t3, low(a3, b0, h)); t4 = i64x2.add(t4, h)
  let t2 = v128.load(MUL_BIASES, 32)
  h = high(a0, b2); t2 = i64x2.add(t2, low(a0, b2, h)); t3 = i64x2.add(t3, h)
  h = high(a1, b1); t2 = i64x2.add(t2, low(a1, b1, h)); t3 = i64x2.add(t3, h)
  h = high(a2, b0); t2 = i64x2.add(t2, low(a2, b0, h)); t3 = i64x2.add(t3, h)
  let t1 = v128.load(MUL_BIASES, 16)
  h = high(a0, b1); t1 = i64x2.add(t1, low(a0, b1, h)); t2 = i64x2.add(t2, h)
  h = high(a1, b0); t1 = i64x2.add(t1, low(a1, b0, h)); t2 = i64x2.add(t2, h)
  let t0 = v128.load(MUL_BIASES, 0)
  h = high(a0, b0); t0 = i64x2.add(t0, low(a0, b0, h)); t1 = i64x2.add(t1, h)
  reduce(out, t0, t1, t2, t3, t4, t5, t6, t7, t8, t9)
}

/** out = a² */
export function sqr(out: usize, a: usize): void {
  const a0 = v128.load(a, 0), a1 = v128.load(a, 16), a2 = v128.load(a, 32), a3 = v128.load(a, 48), a4 = v128.load(a, 64)
  const d1 = f64x2.add(a1, a1), d2 = f64x2.add(a2, a2), d3 = f64x2.add(a3, a3), d4 = f64x2.add(a4, a4)
  let h: v128
  let t9 = v128.load(SQR_BIASES, 144)
  let t8 = v128.load(SQR_BIASES, 128)
  h = high(a4, a4); t8 = i64x2.add(t8, low(a4, a4, h)); t9 = i64x2.add(t9, h)
  let t7 = v128.load(SQR_BIASES, 112)
  h = high(a3, d4); t7 = i64x2.add(t7, low(a3, d4, h)); t8 = i64x2.add(t8, h)
  let t6 = v128.load(SQR_BIASES, 96)
  h = high(a2, d4); t6 = i64x2.add(t6, low(a2, d4, h)); t7 = i64x2.add(t7, h)
  h = high(a3, a3); t6 = i64x2.add(t6, low(a3, a3, h)); t7 = i64x2.add(t7, h)
  let t5 = v128.load(SQR_BIASES, 80)
  h = high(a1, d4); t5 = i64x2.add(t5, low(a1, d4, h)); t6 = i64x2.add(t6, h)
  h = high(a2, d3); t5 = i64x2.add(t5, low(a2, d3, h)); t6 = i64x2.add(t6, h)
  let t4 = v128.load(SQR_BIASES, 64)
  h = high(a0, d4); t4 = i64x2.add(t4, low(a0, d4, h)); t5 = i64x2.add(t5, h)
  h = high(a1, d3); t4 = i64x2.add(t4, low(a1, d3, h)); t5 = i64x2.add(t5, h)
  h = high(a2, a2); t4 = i64x2.add(t4, low(a2, a2, h)); t5 = i64x2.add(t5, h)
  let t3 = v128.load(SQR_BIASES, 48)
  h = high(a0, d3); t3 = i64x2.add(t3, low(a0, d3, h)); t4 = i64x2.add(t4, h)
  h = high(a1, d2); t3 = i64x2.add(t3, low(a1, d2, h)); t4 = i64x2.add(t4, h)
  let t2 = v128.load(SQR_BIASES, 32)
  h = high(a0, d2); t2 = i64x2.add(t2, low(a0, d2, h)); t3 = i64x2.add(t3, h)
  h = high(a1, a1); t2 = i64x2.add(t2, low(a1, a1, h)); t3 = i64x2.add(t3, h)
  let t1 = v128.load(SQR_BIASES, 16)
  h = high(a0, d1); t1 = i64x2.add(t1, low(a0, d1, h)); t2 = i64x2.add(t2, h)
  let t0 = v128.load(SQR_BIASES, 0)
  h = high(a0, a0); t0 = i64x2.add(t0, low(a0, a0, h)); t1 = i64x2.add(t1, h)
  reduce(out, t0, t1, t2, t3, t4, t5, t6, t7, t8, t9)
}

/** Stores the element Σ t_k·2^(51k). */
// @ts-ignore: decorator
@inline function reduce(
  out: usize, t0: v128, t1: v128, t2: v128, t3: v128, t4: v128, t5: v128, t6: v128, t7: v128, t8: v128, t9: v128,
): void {
  let h: v128
  const r9 = f64x2.sub(i64x2.add(t9, carry(t8)), C2())
  const r8 = carriedLimb(t8, t7)
  t7 = carried(t7, t6)
  t6 = carried(t6, t5)
  t5 = v128.and(t5, MASK())
  h = high(r8, E0()); t3 = i64x2.add(t3, low(r8, E0(), h)); t4 = i64x2.add(t4, h)
  h = high(r8, E1()); t4 = i64x2.add(t4, low(r8, E1(), h)); t5 = i64x2.add(t5, h)
  h = high(r8, E2()); t5 = i64x2.add(t5, low(r8, E2(), h)); t6 = i64x2.add(t6, h)
  h = high(r9, E0()); t4 = i64x2.add(t4, low(r9, E0(), h)); t5 = i64x2.add(t5, h)
  h = high(r9, E1()); t5 = i64x2.add(t5, low(r9, E1(), h)); t6 = i64x2.add(t6, h)
  h = high(r9, E2()); t6 = i64x2.add(t6, low(r9, E2(), h)); t7 = i64x2.add(t7, h)
  t5 = i64x2.add(t5, v128.load(FOLD_BIASES))
  t6 = i64x2.add(t6, v128.load(FOLD_BIASES, 16))
  t7 = i64x2.add(t7, v128.load(FOLD_BIASES, 32))
  const r5 = limb(t5), r6 = carriedLimb(t6, t5), r7 = f64x2.sub(i64x2.add(t7, carry(t6)), C2())
  t5 = v128.load(FOLD_BIASES, 48)
  h = high(r5, E0()); t0 = i64x2.add(t0, low(r5, E0(), h)); t1 = i64x2.add(t1, h)
  h = high(r5, E1()); t1 = i64x2.add(t1, low(r5, E1(), h)); t2 = i64x2.add(t2, h)
  h = high(r5, E2()); t2 = i64x2.add(t2, low(r5, E2(), h)); t3 = i64x2.add(t3, h)
  h = high(r6, E0()); t1 = i64x2.add(t1, low(r6, E0(), h)); t2 = i64x2.add(t2, h)
  h = high(r6, E1()); t2 = i64x2.add(t2, low(r6, E1(), h)); t3 = i64x2.add(t3, h)
  h = high(r6, E2()); t3 = i64x2.add(t3, low(r6, E2(), h)); t4 = i64x2.add(t4, h)
  h = high(r7, E0()); t2 = i64x2.add(t2, low(r7, E0(), h)); t3 = i64x2.add(t3, h)
  h = high(r7, E1()); t3 = i64x2.add(t3, low(r7, E1(), h)); t4 = i64x2.add(t4, h)
  h = high(r7, E2()); t4 = i64x2.add(t4, low(r7, E2(), h)); t5 = i64x2.add(t5, h)
  // Limb 5 has at most 25 bits by now, and its product with E2 no high part.
  const r = f64x2.sub(i64x2.add(t5, carry(t4)), C2())
  h = high(r, E0()); t0 = i64x2.add(t0, low(r, E0(), h)); t1 = i64x2.add(t1, h)
  h = high(r, E1()); t1 = i64x2.add(t1, low(r, E1(), h)); t2 = i64x2.add(t2, h)
  t2 = i64x2.add(t2, f64x2.relaxed_madd(r, E2(), C2()))
  v128.store(out, limb(t0))
  v128.store(out, carriedLimb(t1, t0), 16)
  v128.store(out, carriedLimb(t2, t1), 32)
  v128.store(out, carriedLimb(t3, t2), 48)
  t4 = carried(t4, t3)
  v128.store(out, f64x2.sub(v128.or(t4, EXPONENT()), EXPONENT_OF_LAST()), 64)
}

// @ts-ignore: decorator
@inline export function copyElement(out: usize, a: usize): void { memory.copy(out, a, ELEMENT) }

/** Stores a small integer in both lanes. */
export function setSmall(out: usize, value: i32): void {
  memory.fill(out, 0, ELEMENT)
  v128.store(out, f64x2.splat(value))
}

const POWERS = memory.data(16 * 80, 16)

/** out = a^e for the exponent of `nibbles` hexadecimal digits, one in each byte, the first one not zero. */
export function power(out: usize, a: usize, exponent: usize, nibbles: i32): void {
  copyElement(POWERS + ELEMENT, a)
  for (let i: usize = 2; i < 16; i++) mul(POWERS + i * ELEMENT, POWERS + (i - 1) * ELEMENT, a)
  copyElement(out, POWERS + <usize>load<u8>(exponent) * ELEMENT)
  for (let i = 1; i < nibbles; i++) {
    sqr(out, out)
    sqr(out, out)
    sqr(out, out)
    sqr(out, out)
    const digit = <usize>load<u8>(exponent + i)
    if (digit) mul(out, out, POWERS + digit * ELEMENT)
  }
}
