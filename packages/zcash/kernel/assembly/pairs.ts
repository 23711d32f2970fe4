/** Multiplication of the points of tables by recoded scalars: one pair of table and scalar in each lane. */
import { addColumn, doubleColumn, negateAccumulator, setAccumulator } from './column'
import { ENTRY, ENTRY_Y, PAIR_SCALARS, PAIR_TABLES, X_REFS, Y_REFS } from './layout'

/**
 * A digit of a recoded scalar names an entry of a window and a unit: bits 3 to 15 the entry, bits 1 and 2 the power of
 * β, bit 0 the negation.
 */
// @ts-ignore: decorator
@inline function xOf(part: usize, digit: u32): usize {
  return part + <usize>(digit >> 3) * ENTRY + <usize>((digit >> 1) & 3) * 40
}
// @ts-ignore: decorator
@inline function yOf(part: usize, digit: u32): usize {
  return part + <usize>(digit >> 3) * ENTRY + ENTRY_Y
}

/**
 * Begins with the entries that the digits at `digits` name in the parts at `offset` of the tables. PAIR_TABLES and
 * PAIR_SCALARS name table and scalar of each pair; their number is even.
 */
export function startPairs(pairs: usize, digits: usize, offset: usize): void {
  for (let n: usize = 0; n < pairs; n += 2) {
    const part0 = <usize>load<u32>(PAIR_TABLES + 4 * n) + offset
    const part1 = <usize>load<u32>(PAIR_TABLES + 4 * n, 4) + offset
    const digit0 = <u32>load<u16>(digits + 2 * <usize>load<u32>(PAIR_SCALARS + 4 * n))
    const digit1 = <u32>load<u16>(digits + 2 * <usize>load<u32>(PAIR_SCALARS + 4 * n, 4))
    setAccumulator(n / 2, xOf(part0, digit0), yOf(part0, digit0), xOf(part1, digit1), yOf(part1, digit1))
    const signs = i64x2.shl(i64x2.replace_lane(i64x2.splat(digit0 & 1), 1, digit1 & 1), 63)
    negateAccumulator(n / 2, signs)
  }
}

/** Adds the entries that the digits name. False: nothing is known. */
export function addPairs(pairs: usize, digits: usize, offset: usize): bool {
  for (let n: usize = 0; n < pairs; n++) {
    const part = <usize>load<u32>(PAIR_TABLES + 4 * n) + offset
    const digit = <u32>load<u16>(digits + 2 * <usize>load<u32>(PAIR_SCALARS + 4 * n))
    store<u32>(X_REFS + 4 * n, <u32>xOf(part, digit))
    store<u32>(Y_REFS + 4 * n, <u32>yOf(part, digit) | (digit & 1))
  }
  return addColumn(pairs / 2)
}

export function doublePairs(pairs: usize): bool {
  return doubleColumn(pairs / 2)
}
