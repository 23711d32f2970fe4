/** An entry of a table part: the point (a + bλ)·B for the base B of its window. */
interface Entry {
  readonly a: number
  readonly b: number
}

/** Entry numbers of one addition; bit 15 of `right` multiplies it by β. */
type Step = readonly [left: number, right: number, sum: number]

/** Steps that need only the entries of earlier levels. A level of doublings has equal operands. */
export interface Level {
  readonly doubles: boolean
  readonly steps: readonly Step[]
}

/** A window of `width` bits of both halves of a scalar: its digits, and the table part that it needs. */
export interface Window {
  readonly width: number
  /** The number of entries of a table part. */
  readonly size: number
  /** The number of the entry 2^width·B. */
  readonly nextBase: number
  /** How the entries arise from entry 0, which is B; without `nextBase`. */
  readonly levels: readonly Level[]
  /** For the residues r and s of a and b modulo 2^width, at r·2^width + s: the digit. */
  readonly digits: readonly Digit[]
}

/** A digit a + bω, and how to find its point: bits 3 to 15 the entry, bits 1 and 2 the power of β, bit 0 the negation. */
export interface Digit {
  readonly a: bigint
  readonly b: bigint
  readonly code: number
}

const BETA_OPERAND = 0x8000

/**
 * The digits of a window are the smallest Eisenstein integers of each residue class modulo 2^width. The six units turn
 * them into a sixth of their number, 0 ≤ b < a, and cost nothing: ω is the endomorphism. The residue 0 gets the digit
 * 2^width, so no digit is zero.
 */
export function createWindow(width: number): Window {
  const base = 2 ** width
  const smallest = Array.from({ length: base * base }, (_, i) => smallestOf(Math.floor(i / base), i % base, base))
  const places = smallest.map(([a, b]) => place(a, b))
  // The first digit is 2^width, which has its own entry.
  const maxA = places.slice(1).reduce((max, { entry }) => Math.max(max, entry.a), 1)
  const keyOf = ({ a, b }: Entry) => 2 * base * a + b
  const grid = new Map(places.filter(({ entry }) => entry.b > 0).map(({ entry }) => [keyOf(entry), entry]))
  const numbers = new Map<number, number>()
  for (let a = 1; a <= maxA; a++) numbers.set(keyOf({ a, b: 0 }), a - 1)
  const nextBase = maxA
  numbers.set(keyOf({ a: base, b: 0 }), nextBase)
  for (const key of grid.keys()) numbers.set(key, numbers.size)
  const numberOf = (entry: Entry) => numbers.get(keyOf(entry))!
  const combine: Step[] = [...grid.values()].map(entry => [entry.a - 1, (entry.b - 1) | BETA_OPERAND, numberOf(entry)])
  return {
    width,
    size: numbers.size,
    nextBase,
    levels: [...multiples(maxA), { doubles: false, steps: combine }].filter(({ steps }) => steps.length > 0),
    digits: smallest.map(([a, b], i) => {
      const { entry, power, negated } = places[i]!
      return { a: BigInt(a), b: BigInt(b), code: (numberOf(entry) << 3) | (power << 1) | (negated ? 1 : 0) }
    }),
  }
}

/** The levels that lead from B to max·B. */
function multiples(max: number): Level[] {
  const levels: Level[] = []
  for (let known = 1; known < max; known *= 2) {
    const sums = Array.from({ length: Math.min(known, max - known) }, (_, i) => i + 1)
    const steps = sums.map((other): Step => [known - 1, other - 1, known + other - 1])
    levels.push({ doubles: false, steps: steps.filter(([left, right]) => left !== right) })
    levels.push({ doubles: true, steps: steps.filter(([left, right]) => left === right) })
  }
  return levels
}

function smallestOf(r: number, s: number, base: number): readonly [number, number] {
  if (r === 0 && s === 0) return [base, 0]
  let smallest: readonly [number, number] = [r, s]
  let minNorm = Number.POSITIVE_INFINITY
  for (const a of [r, r - base]) {
    for (const b of [s, s - base]) {
      const norm = a * a - a * b + b * b
      if (norm < minNorm) [smallest, minNorm] = [[a, b], norm]
    }
  }
  return smallest
}

/** The entry and the unit ±ω^power whose product is a + bω. */
function place(a: number, b: number): { entry: Entry; power: number; negated: boolean } {
  for (let power = 0, x = a, y = b; power < 3; power++) {
    for (const sign of [1, -1]) {
      const entry = { a: sign * x, b: sign * y || 0 }
      if (entry.a > 0 && entry.b >= 0 && entry.b < entry.a) return { entry, power, negated: sign < 0 }
    }
    // Divides by ω: multiplies by ω² = −1 − ω.
    ;[x, y] = [y - x, -x]
  }
  throw new Error(`no unit for ${a}, ${b}`)
}
