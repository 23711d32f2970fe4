/**
 * Tables of multiples of points. A table has one part for each window of the scalar; the window's first entry is 2^s·P,
 * where s is the number of bits below the window. How the other entries arise from it is a program of the host: triples
 * of entry numbers (left, right, sum), in levels that use only entries of the levels before.
 */
import { addColumn, doubleColumn, setAccumulator } from './column'
import { mul } from './field'
import { ACCUMULATORS, ENTRY, ENTRY_Y, MAX_PAIRS, POINT, POINTS, PROGRAM, X_REFS, Y_REFS } from './layout'
import { ELEMENT, scatter, storeNormalized } from './limbs'

/** β: (βx, y) is the point (x, y) times a cube root of unity. Balanced limbs. */
const BETA = memory.data(80, 16)
const PRODUCT = memory.data(80, 16)
const SUM = memory.data(80, 16)

/** Fills the tables of constants. Called once. */
export function initTables(): void {
  v128.store(BETA, f64x2.splat(-740254827001159.0), 0)
  v128.store(BETA, f64x2.splat(640970822067126.0), 16)
  v128.store(BETA, f64x2.splat(-375179344314833.0), 32)
  v128.store(BETA, f64x2.splat(-782206600810964.0), 48)
  v128.store(BETA, f64x2.splat(330732483685596.0), 64)
}

/** Where the table of the first point begins. Set by `setTables`. */
let tables: usize = 0
/** Bytes of one table. */
let stride: usize = 0

export function setTables(start: usize, bytes: usize): void {
  tables = start
  stride = bytes
}

/** Loads `count` points of POINTS, from `first` on, into the accumulators. */
export function loadPoints(first: usize, count: usize): void {
  for (let n: usize = 0; n < count; n += 2) {
    const point0 = POINTS + (first + n) * POINT
    const point1 = POINTS + (first + min(n + 1, count - 1)) * POINT
    setAccumulator(n / 2, point0, point0 + 40, point1, point1 + 40)
  }
}

export function doublePoints(count: usize): bool {
  return doubleColumn((count + 1) / 2)
}

/** Stores the accumulators of `count` points as the entries at `offset` of their tables. */
export function storeEntries(offset: usize, count: usize): void {
  for (let n: usize = 0; n < count; n += 2) {
    const entry = tables + n * stride + offset
    storeEntry(n / 2, entry, n + 1 < count ? entry + stride : entry)
  }
}

/** Writes the accumulators of a slot to two entries. */
function storeEntry(slot: usize, lane0: usize, lane1: usize): void {
  const x = ACCUMULATORS + slot * 2 * ELEMENT
  mul(PRODUCT, x, BETA)
  storeNormalized(SUM, minusSum(x, 0), minusSum(x, 16), minusSum(x, 32), minusSum(x, 48), minusSum(x, 64))
  scatter(x, lane0, lane1)
  scatter(PRODUCT, lane0 + 40, lane1 + 40)
  scatter(SUM, lane0 + 80, lane1 + 80)
  scatter(x + ELEMENT, lane0 + ENTRY_Y, lane1 + ENTRY_Y)
}

/** β²x = −x − βx */
// @ts-ignore: decorator
@inline function minusSum(x: usize, at: usize): v128 {
  return f64x2.neg(f64x2.add(v128.load(x + at), v128.load(PRODUCT + at)))
}

/**
 * Runs the steps `first` to `first + steps − 1` of the program at PROGRAM: for each of `count` tables and each of
 * `windows` parts of `size` entries, the first of them at `offset`. A step doubles `left` if it equals `right`; then all
 * steps of the call do. Bit 15 of `right` multiplies it by β.
 */
export function runProgram(
  first: usize, steps: usize, count: usize, offset: usize, windows: usize, size: usize, doubles: bool,
): bool {
  firstStep = PROGRAM + STEP * first
  endOfSteps = firstStep + STEP * steps
  partBytes = size * ENTRY
  windowsInTable = windows
  const total = count * windows * steps
  for (let start: usize = 0; start < total; start += MAX_PAIRS) {
    const pairs = min(MAX_PAIRS, total - start)
    seek(start, steps, offset)
    for (let n: usize = 0; n < pairs; n += 2) {
      const left0 = entry(0), right0 = entry(2), variant0 = variant()
      if (n + 1 < pairs) advance()
      const left1 = entry(0), right1 = entry(2)
      setAccumulator(n / 2, left0, left0 + ENTRY_Y, left1, left1 + ENTRY_Y)
      store<u32>(X_REFS + 4 * n, <u32>(right0 + variant0))
      store<u32>(X_REFS + 4 * n, <u32>(right1 + variant()), 4)
      store<u32>(Y_REFS + 4 * n, <u32>(right0 + ENTRY_Y))
      store<u32>(Y_REFS + 4 * n, <u32>(right1 + ENTRY_Y), 4)
      advance()
    }
    const slots = (pairs + 1) / 2
    if (!(doubles ? doubleColumn(slots) : addColumn(slots))) return false
    seek(start, steps, offset)
    for (let n: usize = 0; n < pairs; n += 2) {
      const sum0 = entry(4)
      if (n + 1 < pairs) advance()
      storeEntry(n / 2, sum0, entry(4))
      advance()
    }
  }
  return true
}

/** Bytes of a step. */
const STEP: usize = 6

// The state of a run: its steps, and the parts of each table.
let firstStep: usize = 0
let endOfSteps: usize = 0
let partBytes: usize = 0
let windowsInTable: usize = 0
// Where it is: the step, the part, the number of the part's window, and the first part of the table.
let step: usize = 0
let part: usize = 0
let window: usize = 0
let firstPart: usize = 0

/** Goes to item `n` of the run. */
function seek(n: usize, steps: usize, offset: usize): void {
  step = firstStep + STEP * (n % steps)
  window = (n / steps) % windowsInTable
  firstPart = tables + (n / steps / windowsInTable) * stride + offset
  part = firstPart + window * partBytes
}

/** Goes to the next item: first through the steps of a part, then through the parts of a table. */
// @ts-ignore: decorator
@inline function advance(): void {
  step += STEP
  if (step != endOfSteps) return
  step = firstStep
  part += partBytes
  if (++window != windowsInTable) return
  window = 0
  firstPart += stride
  part = firstPart
}

/** The address of an entry that the step names. */
// @ts-ignore: decorator
@inline function entry(at: usize): usize {
  return part + <usize>(load<u16>(step + at) & 0x7fff) * ENTRY
}

// @ts-ignore: decorator
@inline function variant(): usize {
  return <usize>(load<u16>(step, 2) >> 15) * 40
}
