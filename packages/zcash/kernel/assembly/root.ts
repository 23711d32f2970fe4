/**
 * Square roots by Tonelli–Shanks, with the discrete logarithm in the 2^32-torsion looked up eight bits at a time
 * (Sarkar, https://eprint.iacr.org/2020/1407). Twin: `squareRoot` of pallas.ts.
 */
import { CANONICAL, canonicalize } from './canonical'
import { copyElement, mul, power, setSmall, sqr } from './field'
import { invert } from './inverse'
import { ROOT_TABLES } from './layout'
import { gather } from './limbs'

const T = memory.data<u8>([
  4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 4, 6, 9, 8, 15, 12, 0, 9, 4, 12, 15, 9, 1, 11, 9, 9, 2, 13, 3, 0, 14, 13,
])
const T_DIGITS = 56
const HALF_OF_T = memory.data<u8>([
  2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 12, 7, 14, 0, 4, 10, 6, 7, 12, 8, 13, 12, 12, 9, 6, 9, 8, 7, 6,
])
const HALF_OF_T_DIGITS = 56
/** POWERS[k][i] = g^(−i·2^(8k)), where g = 5^T has order 2^32; one lane. */
const POWERS: usize = ROOT_TABLES
const POWER: usize = 40
/** The lowest limb of g^(i·2^24). */
const LOGARITHMS: usize = ROOT_TABLES + 4 * 256 * POWER

const BASE = memory.data(80, 16)
const CURRENT = memory.data(80, 16)
const HALF_POWER = memory.data(80, 16)
const CANDIDATE = memory.data(80, 16)
const T0 = memory.data(80, 16)
const T1 = memory.data(80, 16)
const T2 = memory.data(80, 16)
const T3 = memory.data(80, 16)
const FACTOR = memory.data(80, 16)

/** Fills the tables. Called once. */
export function initRoots(): void {
  setSmall(BASE, 5)
  power(BASE, BASE, T, T_DIGITS)
  copyElement(T0, BASE)
  invert(BASE, BASE)
  for (let k: usize = 0; k < 4; k++) {
    setSmall(CURRENT, 1)
    for (let i: usize = 0; i < 256; i++) {
      for (let limb: usize = 0; limb < 5; limb++) {
        store<f64>(POWERS + (k * 256 + i) * POWER + 8 * limb, load<f64>(CURRENT + 16 * limb))
      }
      mul(CURRENT, CURRENT, BASE)
    }
    copyElement(BASE, CURRENT)
  }
  for (let i = 0; i < 24; i++) sqr(T0, T0)
  setSmall(CURRENT, 1)
  for (let i: usize = 0; i < 256; i++) {
    canonicalize(CURRENT)
    store<u64>(LOGARITHMS + 8 * i, load<u64>(CANONICAL))
    mul(CURRENT, CURRENT, T0)
  }
}

/** out = 1/g */
export function inverseGenerator(out: usize): void {
  for (let i: usize = 0; i < 5; i++) v128.store(out + 16 * i, v128.load64_splat(POWERS + POWER + 8 * i))
}

/** Both lanes' i in g^(i·2^24) = CANONICAL, in the low and the high half. */
function logarithms(a: usize): u64 {
  canonicalize(a)
  return logarithm(load<u64>(CANONICAL)) | (logarithm(load<u64>(CANONICAL, 8)) << 32)
}

function logarithm(lowest: u64): u64 {
  for (let i: usize = 0; i < 256; i++) if (load<u64>(LOGARITHMS + 8 * i) == lowest) return i
  return 0
}

/** a ·= POWERS[k][i], with the i of each lane. */
function multiplyByPower(a: usize, k: usize, both: u64): void {
  const lane0 = POWERS + (k * 256 + <usize>(both & 255)) * POWER
  const lane1 = POWERS + (k * 256 + <usize>((both >> 32) & 255)) * POWER
  for (let i: usize = 0; i < 5; i++) v128.store(FACTOR + 16 * i, gather(lane0 + 8 * i, lane1 + 8 * i))
  mul(a, a, FACTOR)
}

/** out = √a, or √(a·g) if a is not a square. Returns the bits of the lanes (1 and 2) where it is one. */
export function squareRoot(out: usize, a: usize): i32 {
  power(HALF_POWER, a, HALF_OF_T, HALF_OF_T_DIGITS)
  mul(CANDIDATE, a, HALF_POWER)
  mul(T0, CANDIDATE, HALF_POWER)
  copyElement(T1, T0)
  for (let i = 0; i < 8; i++) sqr(T1, T1)
  copyElement(T2, T1)
  for (let i = 0; i < 8; i++) sqr(T2, T2)
  copyElement(T3, T2)
  for (let i = 0; i < 8; i++) sqr(T3, T3)

  const e0 = logarithms(T3)
  multiplyByPower(T2, 2, e0)
  const e1 = logarithms(T2)
  multiplyByPower(T1, 1, e0)
  multiplyByPower(T1, 2, e1)
  const e2 = logarithms(T1)
  multiplyByPower(T0, 0, e0)
  multiplyByPower(T0, 1, e1)
  multiplyByPower(T0, 2, e2)
  const e3 = logarithms(T0)

  const half0 = ((e0 & 0xff) | ((e1 & 0xff) << 8) | ((e2 & 0xff) << 16) | ((e3 & 0xff) << 24)) >> 1
  const half1 = ((e0 >> 32) | ((e1 >> 32) << 8) | ((e2 >> 32) << 16) | ((e3 >> 32) << 24)) >> 1
  const half = half0 | (half1 << 32)
  copyElement(out, CANDIDATE)
  for (let k: usize = 0; k < 4; k++) multiplyByPower(out, k, half >> (8 * k))
  return <i32>((~e0 & 1) | ((~(e0 >> 32) & 1) << 1))
}
