import { type Eisenstein, isZero, representations } from './eisenstein.ts'
import type { Window } from './window.ts'

/** How points are multiplied by scalars. */
export interface Method {
  /**
   * `comb`: each window has its own table part, and the products are added from the lowest window on. `ladder`: all
   * windows share one part, and the sum is doubled between them, from the highest window on.
   */
  readonly kind: 'comb' | 'ladder'
  /** From the lowest bits on. Their widths add up to at least 128. */
  readonly windows: readonly Window[]
}

/**
 * Writes a scalar, 1 to q − 1, as digits: k ≡ Σ (a_i + b_i λ)·2^(width of the lower windows). Undefined if the sum of
 * some digits would equal the next one or its negative, which the affine addition does not cover: this depends on the
 * scalar alone, and only few special ones have no other representation.
 */
export function recode(k: bigint, method: Method): Uint16Array | undefined {
  for (const representation of representations(k)) {
    const codes = new Uint16Array(method.windows.length)
    const digits = digitsOf(representation, method.windows, codes)
    if (digits !== undefined && isRegular(digits, method)) return codes
  }
  return undefined
}

/** Fills in the codes. Returns the digits, or undefined if there are more than windows. */
function digitsOf({ a, b }: Eisenstein, windows: readonly Window[], codes: Uint16Array): Eisenstein[] | undefined {
  const values: Eisenstein[] = []
  for (const [i, { width, digits }] of windows.entries()) {
    const residue = (Number(BigInt.asUintN(width, a)) << width) | Number(BigInt.asUintN(width, b))
    const digit = digits[residue]!
    a = (a - digit.a) >> BigInt(width)
    b = (b - digit.b) >> BigInt(width)
    codes[i] = digit.code
    values.push(digit)
  }
  return a === 0n && b === 0n ? values : undefined
}

/** Whether no partial sum is zero, or the next summand, or its negative. */
function isRegular(digits: readonly Eisenstein[], { kind, windows }: Method): boolean {
  const isComb = kind === 'comb'
  const order = isComb ? digits.keys() : [...digits.keys()].reverse()
  let a = 0n
  let b = 0n
  let shift = 0n
  for (const i of order) {
    const width = BigInt(windows[i]!.width)
    if (!isComb) {
      a <<= width
      b <<= width
    }
    const nextA = digits[i]!.a << shift
    const nextB = digits[i]!.b << shift
    const isFirst = i === (isComb ? 0 : digits.length - 1)
    if (
      !isFirst &&
      [
        { a, b },
        { a: a - nextA, b: b - nextB },
        { a: a + nextA, b: b + nextB },
      ].some(isZero)
    )
      return false
    a += nextA
    b += nextB
    if (isComb) shift += width
  }
  return !isZero({ a, b })
}
