/** Hash to curve: from field elements to points (protocol specification §5.4.9.8, RFC 9380 §6.6.2). */
import { canonicalize, canonicalParity, readElement } from './canonical'
import { addColumn, invertDenominators, nextInverse, setAccumulator } from './column'
import { copyElement, mul, setSmall, sqr } from './field'
import { ACCUMULATORS, DENOMINATORS, INPUT, OUTPUT, POINT, POINTS, X_REFS, Y_REFS } from './layout'
import { ELEMENT, gather, scatter, storeNormalized } from './limbs'
import { inverseGenerator, squareRoot } from './root'

const U = memory.data(80, 16)
const ZU2 = memory.data(80, 16)
const TAIL = memory.data(80, 16)
const NUMERATOR = memory.data(80, 16)
const CUBE = memory.data(80, 16)
const RIGHT = memory.data(80, 16)
const ROOT = memory.data(80, 16)
const OTHER = memory.data(80, 16)
const ISO_A = memory.data(80, 16)
/** √(Z³/g) */
const NON_SQUARE_FACTOR = memory.data(80, 16)
const ISO_B: f64 = 1265
const Z: f64 = -13

const ISO_A_BYTES = memory.data<u64>([0x92bb4b0b657a014b, 0xb74134581a27a59f, 0x49be2d7258370742, 0x18354a2eb0ea8c9c])
/** Coefficients of the isogeny to Pallas in ascending order of degree: x numerator and denominator, y numerator and denominator. */
const ISOGENY = memory.data<u64>([
  // x numerator
  0xeebec06955555580, 0x8102eea8e7b06eb6, 0xc71c71c71c71c71c, 0x1c71c71c71c71c71,
  0xeb64faef37ea4f7, 0x380af066cfeb6d69, 0x98c7d7ac3d98fd13, 0x17329b9ec5253753,
  0x8cf863b02814fb76, 0xf93b82ee4b99495, 0x267c7ffa51cf412a, 0x3509afd51872d88e,
  0x775f6034aaaaaaab, 0x4081775473d8375b, 0xe38e38e38e38e38e, 0xe38e38e38e38e38,
  // x denominator
  0x2aa3af1eae5b6604, 0xb4abf9fb9a1fc81c, 0x1d13bf2a7f22b105, 0x325669becaecd5d1,
  0xc47f2ab668bcd71f, 0x9c434ac1c96b6980, 0x5a607fcce0494a79, 0x1d572e7ddc099cff,
  0x1, 0x0, 0x0, 0x0,
  // y numerator
  0x93e53ab371c71c4f, 0xac03e8e134eb3e4, 0x7b425ed097b425ed, 0x25ed097b425ed09,
  0x2e2be87d225b234, 0x1765e924f7459378, 0x303216cce1db9ff1, 0x3fb98ff0d2ddcadd,
  0xc67c31d8140a7dbb, 0x7c9dc17725cca4a, 0x133e3ffd28e7a095, 0x1a84d7ea8c396c47,
  0x5ad985b5e38e38e4, 0x7642b01ad461bad2, 0x4bda12f684bda12f, 0x1a12f684bda12f68,
  // y denominator
  0x992d30ecfffffde5, 0x224698fc094cf91b, 0x0, 0x4000000000000000,
  0x4d90ab820b12320a, 0xd976bbfabbc5661d, 0x573b3d7f7d681310, 0x17033d3c60c68173,
  0x5a28279b1d1b42ae, 0x5941a3a4a97aa1b3, 0x790bfb3506defb6, 0xc02c5bcca0e6b7f,
  0x1, 0x0, 0x0, 0x0,
])
const COEFFICIENTS: usize = 15
const X_NUMERATOR: usize = 0
const X_DENOMINATOR: usize = 4
const Y_NUMERATOR: usize = 7
const Y_DENOMINATOR: usize = 11
const ELEMENTS = memory.data(80 * 15, 16)

/** Fills the tables of constants. Called once, after those of roots. */
export function initMap(): void {
  readElement(ISO_A, ISO_A_BYTES, ISO_A_BYTES)
  for (let i: usize = 0; i < COEFFICIENTS; i++) {
    readElement(ELEMENTS + i * ELEMENT, ISOGENY + 32 * i, ISOGENY + 32 * i)
  }
  setSmall(NON_SQUARE_FACTOR, <i32>(Z * Z * Z))
  inverseGenerator(OTHER)
  mul(NON_SQUARE_FACTOR, NON_SQUARE_FACTOR, OTHER)
  squareRoot(NON_SQUARE_FACTOR, NON_SQUARE_FACTOR)
}

/**
 * Maps `count` pairs of field elements at INPUT, 32 bytes each, to the points whose encodings hash to these elements, and
 * stores the points at POINTS. False: nothing is known. Twin: `groupHash` of pallas.ts.
 */
export function hashToPoints(count: usize): bool {
  for (let n: usize = 0; n < count; n++) startMap(n)
  if (!invertDenominators(count)) return false
  for (let left = count; left > 0; left--) finishMap(left - 1)
  // The sum of the two points of each item.
  for (let n: usize = 0; n < count; n++) {
    const point = ACCUMULATORS + n * 2 * ELEMENT
    scatter(point, POINTS + n * POINT, OUTPUT + n * POINT)
    scatter(point + ELEMENT, POINTS + n * POINT + 40, OUTPUT + n * POINT + 40)
  }
  for (let n: usize = 0; n < count; n += 2) {
    const last = min(n + 1, count - 1)
    setAccumulator(n / 2, POINTS + n * POINT, POINTS + n * POINT + 40, POINTS + last * POINT, POINTS + last * POINT + 40)
    store<u32>(X_REFS + 4 * n, <u32>(OUTPUT + n * POINT))
    store<u32>(X_REFS + 4 * n, <u32>(OUTPUT + last * POINT), 4)
    store<u32>(Y_REFS + 4 * n, <u32>(OUTPUT + n * POINT + 40))
    store<u32>(Y_REFS + 4 * n, <u32>(OUTPUT + last * POINT + 40), 4)
  }
  const slots = (count + 1) / 2
  if (!addColumn(slots)) return false
  for (let s: usize = 0; s < slots; s++) startIsogeny(s)
  if (!invertDenominators(slots)) return false
  for (let left = slots; left > 0; left--) {
    const s = left - 1
    const item: usize = s * 2
    const x = ACCUMULATORS + s * 2 * ELEMENT
    nextInverse(OTHER, s)
    mul(x, x, OTHER)
    mul(x + ELEMENT, x + ELEMENT, OTHER)
    const point0 = POINTS + item * POINT
    const point1 = POINTS + min(item + 1, count - 1) * POINT
    scatter(x, point0, point1)
    scatter(x + ELEMENT, point0 + 40, point1 + 40)
  }
  return true
}

/** Fractions x/d and y/d² on the isogenous curve: numerators to the accumulator, d to the denominator of the slot. */
function startMap(slot: usize): void {
  const x = ACCUMULATORS + slot * 2 * ELEMENT
  const d = DENOMINATORS + slot * ELEMENT
  readElement(U, INPUT + 64 * slot, INPUT + 64 * slot + 32)
  sqr(ZU2, U)
  scale(ZU2, ZU2, Z)
  sqr(TAIL, ZU2)
  add(TAIL, TAIL, ZU2)
  setSmall(OTHER, 1)
  add(OTHER, OTHER, TAIL)
  scale(NUMERATOR, OTHER, ISO_B)
  mul(d, ISO_A, TAIL)
  scale(d, d, -1)
  // gx = n(n² + A d²) + B d³
  sqr(CUBE, d)
  mul(OTHER, ISO_A, CUBE)
  mul(CUBE, CUBE, d)
  sqr(RIGHT, NUMERATOR)
  add(RIGHT, RIGHT, OTHER)
  mul(RIGHT, RIGHT, NUMERATOR)
  scale(CUBE, CUBE, ISO_B)
  add(RIGHT, RIGHT, CUBE)
  mul(RIGHT, RIGHT, d)
  const squares = squareRoot(ROOT, RIGHT)
  // Where gx is not a square: x·Zu² and y·√(Z³/g)·u³.
  mul(ZU2, ZU2, NUMERATOR)
  sqr(CUBE, U)
  mul(CUBE, CUBE, U)
  mul(CUBE, CUBE, NON_SQUARE_FACTOR)
  mul(CUBE, CUBE, ROOT)
  const isSquare = i64x2.replace_lane(i64x2.splat(-<i64>(squares & 1)), 1, -<i64>(squares >> 1))
  for (let i: usize = 0; i < ELEMENT; i += 16) {
    v128.store(x + i, v128.bitselect(v128.load(NUMERATOR + i), v128.load(ZU2 + i), isSquare))
    v128.store(x + ELEMENT + i, v128.bitselect(v128.load(ROOT + i), v128.load(CUBE + i), isSquare))
  }
}

function finishMap(slot: usize): void {
  const x = ACCUMULATORS + slot * 2 * ELEMENT
  const y = x + ELEMENT
  nextInverse(OTHER, slot)
  mul(x, x, OTHER)
  sqr(OTHER, OTHER)
  mul(y, y, OTHER)
  canonicalize(y)
  const odd = v128.and(gather(INPUT + 64 * slot, INPUT + 64 * slot + 32), i64x2.splat(1))
  const signs = i64x2.shl(v128.xor(odd, canonicalParity()), 63)
  for (let i: usize = 0; i < ELEMENT; i += 16) v128.store(y + i, v128.xor(v128.load(y + i), signs))
}

function startIsogeny(slot: usize): void {
  const x = ACCUMULATORS + slot * 2 * ELEMENT
  polynomial(RIGHT, X_DENOMINATOR, 2, x)
  polynomial(CUBE, Y_DENOMINATOR, 3, x)
  polynomial(OTHER, Y_NUMERATOR, 3, x)
  polynomial(NUMERATOR, X_NUMERATOR, 3, x)
  mul(DENOMINATORS + slot * ELEMENT, RIGHT, CUBE)
  mul(x, NUMERATOR, CUBE)
  mul(OTHER, OTHER, RIGHT)
  mul(x + ELEMENT, x + ELEMENT, OTHER)
}

/** out = the polynomial with the coefficients from `first` on, at x. */
function polynomial(out: usize, first: usize, degree: usize, x: usize): void {
  copyElement(out, ELEMENTS + (first + degree) * ELEMENT)
  for (let left = degree; left > 0; left--) {
    const i = left - 1
    mul(out, out, x)
    add(out, out, ELEMENTS + (first + i) * ELEMENT)
  }
}

/** out = a + b */
function add(out: usize, a: usize, b: usize): void {
  storeNormalized(out, sum(a, b, 0), sum(a, b, 16), sum(a, b, 32), sum(a, b, 48), sum(a, b, 64))
}

// @ts-ignore: decorator
@inline function sum(a: usize, b: usize, at: usize): v128 { return f64x2.add(v128.load(a + at), v128.load(b + at)) }

/** out = a times a small integer */
function scale(out: usize, a: usize, factor: f64): void {
  memory.fill(FACTOR, 0, ELEMENT)
  v128.store(FACTOR, f64x2.splat(factor))
  mul(out, a, FACTOR)
}

const FACTOR = memory.data(80, 16)
