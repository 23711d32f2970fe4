/** Where everything lies in memory. The regions that the host reads or writes are exported by index.ts. */
import { ELEMENT } from './limbs'

/** Pairs in one column: more would leave the cache, fewer would share an inversion among too few. */
export const MAX_PAIRS: usize = 4096
const MAX_SLOTS: usize = MAX_PAIRS / 2
/** The most points in one call. */
export const MAX_POINTS: usize = 4096

/** x and y of a point in one lane. */
export const POINT: usize = 80
/** x, βx, β²x and y of a point in one lane. */
export const ENTRY: usize = 160
export const ENTRY_Y: usize = 120

/** Below are the constants of the modules. */
export const ACCUMULATORS: usize = 0x20000
export const DENOMINATORS: usize = ACCUMULATORS + MAX_SLOTS * 2 * ELEMENT
export const PREFIXES: usize = DENOMINATORS + MAX_SLOTS * ELEMENT
export const X_REFS: usize = PREFIXES + (MAX_SLOTS + 1) * ELEMENT
export const Y_REFS: usize = X_REFS + 4 * MAX_PAIRS
export const PAIR_TABLES: usize = Y_REFS + 4 * MAX_PAIRS
export const PAIR_SCALARS: usize = PAIR_TABLES + 4 * MAX_PAIRS
/** The address of the action of each pair. */
export const PAIR_ACTIONS: usize = PAIR_SCALARS + 4 * MAX_PAIRS
export const ROOT_TABLES: usize = PAIR_ACTIONS + 4 * MAX_PAIRS
/** An encoded point and what follows it. */
export const INPUT_ITEM: usize = 40
/** Encoded points, or pairs of field elements. */
export const INPUT: usize = ROOT_TABLES + 4 * 256 * 40 + 256 * 8
export const OUTPUT: usize = INPUT + MAX_POINTS * 64
export const POINTS: usize = OUTPUT + MAX_POINTS * 40
export const PROGRAM: usize = POINTS + MAX_POINTS * POINT
/** Grows as the host needs: recoded scalars, then tables. */
export const HEAP: usize = PROGRAM + 0x20000
