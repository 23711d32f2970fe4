/**
 * Affine additions and doublings of many points at once. A column is one operation on every pair of the batch; its
 * denominators share one inversion (Montgomery's trick), so an addition costs 5 multiplications and a square.
 *
 * Two pairs, one in each lane, are a slot. A column fails when a denominator is zero: then nothing is known, and the
 * caller takes another path.
 */
import { mul, sqr } from './field'
import { invert } from './inverse'
import { ACCUMULATORS, DENOMINATORS, PREFIXES, X_REFS, Y_REFS } from './layout'
import { ELEMENT, gather, storeNormalized } from './limbs'

const INVERSE = memory.data(80, 16)
const SLOPE = memory.data(80, 16)
const SQUARE = memory.data(80, 16)
const DIFFERENCE = memory.data(80, 16)

/** Inverts the product of the denominators of `slots` slots. False: one of them is zero. */
export function invertDenominators(slots: usize): bool {
  memory.copy(PREFIXES, DENOMINATORS, ELEMENT)
  for (let s: usize = 1; s < slots; s++) {
    mul(PREFIXES + s * ELEMENT, PREFIXES + (s - 1) * ELEMENT, DENOMINATORS + s * ELEMENT)
  }
  return invert(INVERSE, PREFIXES + (slots - 1) * ELEMENT)
}

/** Stores the inverse of the denominator of a slot. Slots come in descending order, from the last one on. */
// @ts-ignore: decorator
@inline export function nextInverse(out: usize, slot: usize): void {
  if (slot == 0) {
    memory.copy(out, INVERSE, ELEMENT)
    return
  }
  mul(out, INVERSE, PREFIXES + (slot - 1) * ELEMENT)
  mul(INVERSE, INVERSE, DENOMINATORS + slot * ELEMENT)
}

/** accumulator += the point at X_REFS and Y_REFS. Bit 0 of a Y_REF negates the point. */
export function addColumn(slots: usize): bool {
  for (let s: usize = 0; s < slots; s++) {
    const acc = ACCUMULATORS + s * 2 * ELEMENT
    const dx = DENOMINATORS + s * ELEMENT
    const q0 = <usize>load<u32>(X_REFS + 8 * s)
    const q1 = <usize>load<u32>(X_REFS + 8 * s, 4)
    for (let i: usize = 0; i < 5; i++) {
      v128.store(dx + 16 * i, f64x2.sub(gather(q0 + 8 * i, q1 + 8 * i), v128.load(acc + 16 * i)))
    }
  }
  if (!invertDenominators(slots)) return false
  for (let left = slots; left > 0; left--) {
    const s = left - 1
    const acc = ACCUMULATORS + s * 2 * ELEMENT
    const y = acc + ELEMENT
    const dx = DENOMINATORS + s * ELEMENT
    const ref0 = load<u32>(Y_REFS + 8 * s)
    const ref1 = load<u32>(Y_REFS + 8 * s, 4)
    const q0 = <usize>(ref0 & ~1)
    const q1 = <usize>(ref1 & ~1)
    const signs = i64x2.shl(i64x2.replace_lane(i64x2.splat(ref0 & 1), 1, ref1 & 1), 63)
    nextInverse(SLOPE, s)
    for (let i: usize = 0; i < 5; i++) {
      const y2 = v128.xor(gather(q0 + 8 * i, q1 + 8 * i), signs)
      v128.store(DIFFERENCE + 16 * i, f64x2.sub(y2, v128.load(y + 16 * i)))
    }
    mul(SLOPE, SLOPE, DIFFERENCE)
    applySlope(acc, dx)
  }
  return true
}

/** accumulator += accumulator */
export function doubleColumn(slots: usize): bool {
  for (let s: usize = 0; s < slots; s++) {
    const y = ACCUMULATORS + s * 2 * ELEMENT + ELEMENT
    const dy = DENOMINATORS + s * ELEMENT
    for (let i: usize = 0; i < 5; i++) {
      const limb = v128.load(y + 16 * i)
      v128.store(dy + 16 * i, f64x2.add(limb, limb))
    }
  }
  if (!invertDenominators(slots)) return false
  for (let left = slots; left > 0; left--) {
    const s = left - 1
    const acc = ACCUMULATORS + s * 2 * ELEMENT
    nextInverse(SLOPE, s)
    sqr(SQUARE, acc)
    for (let i: usize = 0; i < 5; i++) {
      const limb = v128.load(SQUARE + 16 * i)
      v128.store(SQUARE + 16 * i, f64x2.add(limb, f64x2.add(limb, limb)))
    }
    mul(SLOPE, SLOPE, SQUARE)
    applySlope(acc, 0)
  }
  return true
}

/** x3 = slope² − 2·x1 − dx, y3 = slope·(x1 − x3) − y1. Without `dx`, the points are equal. */
// @ts-ignore: decorator
@inline function applySlope(acc: usize, dx: usize): void {
  const y = acc + ELEMENT
  sqr(SQUARE, SLOPE)
  storeNormalized(
    DIFFERENCE, next(acc, dx, 0), next(acc, dx, 16), next(acc, dx, 32), next(acc, dx, 48), next(acc, dx, 64),
  )
  for (let i: usize = 0; i < ELEMENT; i += 16) {
    const x3 = v128.load(DIFFERENCE + i)
    v128.store(DIFFERENCE + i, f64x2.sub(v128.load(acc + i), x3))
    v128.store(acc + i, x3)
  }
  mul(SQUARE, SLOPE, DIFFERENCE)
  storeNormalized(y, less(y, 0), less(y, 16), less(y, 32), less(y, 48), less(y, 64))
}

// @ts-ignore: decorator
@inline function next(acc: usize, dx: usize, at: usize): v128 {
  const x1 = v128.load(acc + at)
  const sum = f64x2.sub(v128.load(SQUARE + at), f64x2.add(x1, x1))
  return dx ? f64x2.sub(sum, v128.load(dx + at)) : sum
}

// @ts-ignore: decorator
@inline function less(y: usize, at: usize): v128 {
  return f64x2.sub(v128.load(SQUARE + at), v128.load(y + at))
}

/** Loads a point at two addresses, one for each lane, into an accumulator. */
// @ts-ignore: decorator
@inline export function setAccumulator(slot: usize, x0: usize, y0: usize, x1: usize, y1: usize): void {
  const acc = ACCUMULATORS + slot * 2 * ELEMENT
  for (let i: usize = 0; i < 5; i++) {
    v128.store(acc + 16 * i, gather(x0 + 8 * i, x1 + 8 * i))
    v128.store(acc + ELEMENT + 16 * i, gather(y0 + 8 * i, y1 + 8 * i))
  }
}

/** Negates the accumulator of a slot in the lanes of `signs`, whose top bits are set. */
// @ts-ignore: decorator
@inline export function negateAccumulator(slot: usize, signs: v128): void {
  const y = ACCUMULATORS + slot * 2 * ELEMENT + ELEMENT
  for (let i: usize = 0; i < 5; i++) v128.store(y + 16 * i, v128.xor(v128.load(y + 16 * i), signs))
}
