/**
 * Inversion by division steps (Bernstein and Yang, "Fast constant-time gcd computation and modular inversion",
 * https://eprint.iacr.org/2019/266, in variable time): 30 steps at a time, on limbs of 30 bits. The highest limb is signed.
 */
import { canonicalize, canonicalWord, readElement } from './canonical'
import { mul } from './field'
import { ELEMENT } from './limbs'

const STEPS: i64 = 30
/** 741 steps suffice for numbers of 256 bits. */
const MAX_DIVIDES = 25
/** Each division adds at most p/2 to D and E. */
const MAX_MULTIPLES = 13
const LIMB: i64 = (1 << 30) - 1
/** The offset of the highest limb. */
const LAST: usize = 64

/** p, which is 1 modulo 2^30 */
const P = memory.data<i64>([1, 615826356, 349147577, 296107778, 34, 0, 0, 0, 16384])
/** With a the number to be inverted: F = D·a and G = E·a modulo p. F ends as 1 or −1, and G as 0. */
const F = memory.data(72, 8)
const G = memory.data(72, 8)
const D = memory.data(72, 8)
const E = memory.data(72, 8)

const WORDS = memory.data(32, 8)
const SWAPPED = memory.data(80, 16)
const PRODUCT = memory.data(80, 16)

/** out = 1/a. False, and out is 0, if the element of either lane is 0: the lanes share one inversion. */
export function invert(out: usize, a: usize): bool {
  for (let i: usize = 0; i < ELEMENT; i += 16) {
    const limb = v128.load(a + i)
    v128.store(SWAPPED + i, i64x2.shuffle(limb, limb, 1, 0))
  }
  mul(PRODUCT, a, SWAPPED)
  canonicalize(PRODUCT)
  for (let i = 0; i < 4; i++) store<i64>(WORDS + 8 * i, i64x2.extract_lane(canonicalWord(i), 0))
  invertWords()
  readElement(PRODUCT, WORDS, WORDS)
  mul(out, PRODUCT, SWAPPED)
  return !isZero(WORDS, 32)
}

/** Replaces the number in WORDS, below p, by its inverse, below 2^255; 0 by 0. */
function invertWords(): void {
  memory.copy(F, P, 72)
  split(G)
  memory.fill(D, 0, 72)
  memory.fill(E, 0, 72)
  store<i64>(E, 1)
  let delta: i64 = 1
  for (let i = 0; i < MAX_DIVIDES && !isZero(G, 72); i++) delta = divide(delta)
  const sign: i64 = load<i64>(F, LAST) < 0 ? -1 : 1
  addMultiples(D, D, sign, P, 0, 0)
  for (let i = 0; i < MAX_MULTIPLES; i++) {
    const top = load<i64>(D, LAST)
    if (top >= 0 && top < 1 << 15) break
    addMultiples(D, D, 1, P, top < 0 ? 1 : -1, 0)
  }
  join(D)
}

/** The next 30 division steps. Returns the new delta. */
function divide(delta: i64): i64 {
  let f = load<i64>(F) | (load<i64>(F, 8) << 30)
  let g = load<i64>(G) | (load<i64>(G, 8) << 30)
  // 2^30·F' = u·F + v·G and 2^30·G' = q·F + r·G
  let u: i64 = 1, v: i64 = 0, q: i64 = 0, r: i64 = 1
  let left = STEPS
  // Each turn but the first halves g at least once, since f is odd.
  for (let turn: i64 = 0; turn <= STEPS; turn++) {
    const zeros = ctz<i64>(g | (1 << left))
    g >>= zeros
    u <<= zeros
    v <<= zeros
    delta += zeros
    left -= zeros
    if (left == 0) break
    if (delta > 0) {
      delta = -delta
      const f0 = f, u0 = u, v0 = v
      f = g
      g = -f0
      u = q
      q = -u0
      v = r
      r = -v0
    }
    g += f
    q += u
    r += v
  }
  memory.copy(OLD, F, 72)
  addMultiples(F, OLD, u, G, v, STEPS)
  addMultiples(G, OLD, q, G, r, STEPS)
  memory.copy(OLD, D, 72)
  addModulo(D, OLD, u, E, v)
  addModulo(E, OLD, q, E, r)
  return delta
}

const OLD = memory.data(72, 8)

/** out = (x·a + y·b) / 2^shift, which is an integer. The shift is 0 or 30. */
// @ts-ignore: decorator
@inline function addMultiples(out: usize, a: usize, x: i64, b: usize, y: i64, shift: i64): void {
  let carry: i64 = 0
  for (let i: usize = 0; i <= LAST; i += 8) {
    carry += x * load<i64>(a + i) + y * load<i64>(b + i)
    if (shift == 0) store<i64>(out + i, carry & LIMB)
    else if (i > 0) store<i64>(out + i - 8, carry & LIMB)
    carry >>= 30
  }
  if (shift == 0) store<i64>(out, load<i64>(out, LAST) | (carry << 30), LAST)
  else store<i64>(out, carry, LAST)
}

/** out = (x·a + y·b) / 2^30 modulo p: p is added as often as an integer needs, −2^29 to 2^29 times. */
// @ts-ignore: decorator
@inline function addModulo(out: usize, a: usize, x: i64, b: usize, y: i64): void {
  let carry = x * load<i64>(a) + y * load<i64>(b)
  const times = (-carry << 34) >> 34
  carry = (carry + times) >> 30
  for (let i: usize = 8; i <= LAST; i += 8) {
    carry += x * load<i64>(a + i) + y * load<i64>(b + i) + times * load<i64>(P + i)
    store<i64>(out + i - 8, carry & LIMB)
    carry >>= 30
  }
  store<i64>(out, carry, LAST)
}

function isZero(words: usize, length: usize): bool {
  let bits: u64 = 0
  for (let i: usize = 0; i < length; i += 8) bits |= load<u64>(words + i)
  return bits == 0
}

/** Splits WORDS into limbs. */
function split(limbs: usize): void {
  const w0 = load<u64>(WORDS), w1 = load<u64>(WORDS, 8), w2 = load<u64>(WORDS, 16), w3 = load<u64>(WORDS, 24)
  store<u64>(limbs, w0 & LIMB)
  store<u64>(limbs, (w0 >> 30) & LIMB, 8)
  store<u64>(limbs, ((w0 >> 60) | (w1 << 4)) & LIMB, 16)
  store<u64>(limbs, (w1 >> 26) & LIMB, 24)
  store<u64>(limbs, ((w1 >> 56) | (w2 << 8)) & LIMB, 32)
  store<u64>(limbs, (w2 >> 22) & LIMB, 40)
  store<u64>(limbs, ((w2 >> 52) | (w3 << 12)) & LIMB, 48)
  store<u64>(limbs, (w3 >> 18) & LIMB, 56)
  store<u64>(limbs, w3 >> 48, 64)
}

/** Joins limbs to WORDS. */
function join(limbs: usize): void {
  const l2 = load<u64>(limbs, 16), l4 = load<u64>(limbs, 32), l6 = load<u64>(limbs, 48)
  store<u64>(WORDS, load<u64>(limbs) | (load<u64>(limbs, 8) << 30) | (l2 << 60))
  store<u64>(WORDS, (l2 >> 4) | (load<u64>(limbs, 24) << 26) | (l4 << 56), 8)
  store<u64>(WORDS, (l4 >> 8) | (load<u64>(limbs, 40) << 22) | (l6 << 52), 16)
  store<u64>(WORDS, (l6 >> 12) | (load<u64>(limbs, 56) << 18) | (load<u64>(limbs, 64) << 48), 24)
}
