import { Q } from '../pallas.ts'

/** An Eisenstein integer a + bω, where ω² = −1 − ω. */
export interface Eisenstein {
  readonly a: bigint
  readonly b: bigint
}

/** λ: the scalar of the endomorphism (x, y) ↦ (βx, y), with the β of pallas.ts. */
const LAMBDA = 0x06819a58283e528e511db4d81cf70f5a0fed467d47c033af2aa9d2e050aa0e4fn
/** A generator of the numbers a + bω with a + bλ ≡ 0 (mod q). Its norm is q. */
const PI: Eisenstein = { a: 0x49e69d1640f049157fcae1c700000001n, b: -0x49e69d1640a899538cb1279300000000n }
const CONJUGATE_OF_PI: Eisenstein = { a: PI.a - PI.b, b: -PI.b }
/** Coordinates below this in both halves: too small for a multiple of π but 0. */
const SMALL = 1n << 125n
const UNITS: readonly Eisenstein[] = [
  { a: 1n, b: 0n },
  { a: -1n, b: 0n },
  { a: 0n, b: 1n },
  { a: 0n, b: -1n },
  { a: 1n, b: 1n },
  { a: -1n, b: -1n },
]

/** a² − ab + b² */
function norm({ a, b }: Eisenstein): bigint {
  return a * a - a * b + b * b
}

function multiply(x: Eisenstein, y: Eisenstein): Eisenstein {
  return { a: x.a * y.a - x.b * y.b, b: x.a * y.b + x.b * y.a - x.b * y.b }
}

function subtract(x: Eisenstein, y: Eisenstein): Eisenstein {
  return { a: x.a - y.a, b: x.b - y.b }
}

/** Numbers a + bω with a + bλ ≡ k (mod q) for 0 ≤ k < q: the smallest one, then the next larger ones. */
export function* representations(k: bigint): Generator<Eisenstein> {
  const quotient = multiply({ a: k, b: 0n }, CONJUGATE_OF_PI)
  const whole = { a: floorDivide(quotient.a), b: floorDivide(quotient.b) }
  const corners = [
    whole,
    { a: whole.a + 1n, b: whole.b },
    { a: whole.a, b: whole.b + 1n },
    { a: whole.a + 1n, b: whole.b + 1n },
  ].map(corner => subtract({ a: k, b: 0n }, multiply(corner, PI)))
  const smallest = corners.reduce((best, next) => (norm(next) < norm(best) ? next : best))
  yield smallest
  for (const unit of UNITS) yield subtract(smallest, multiply(unit, PI))
}

/** Whether a + bλ ≡ 0 (mod q). */
export function isZero({ a, b }: Eisenstein): boolean {
  if (a < SMALL && a > -SMALL && b < SMALL && b > -SMALL) return a === 0n && b === 0n
  return (a + b * LAMBDA) % Q === 0n
}

function floorDivide(numerator: bigint): bigint {
  const quotient = numerator / Q
  return numerator < 0n && quotient * Q !== numerator ? quotient - 1n : quotient
}
