/** The functions that the host calls. See ../README.md. */
import { initAes } from './aes'
import { ACCUMULATORS } from './layout'
import { initField, isFused } from './limbs'
import { initHashToField } from './hash-to-field'
import { initMap } from './map'
import { initRoots } from './root'
import { initTables } from './table'

export { deriveDiversifiers } from './diversifier'
export { hashDiversifiers } from './hash-to-field'
export { jumble } from './jumble'
export { hashToPoints } from './map'
export { findCandidates } from './note-key'
export { addPairs, doublePairs, startPairs } from './pairs'
export { areOnCurve, decodePoints, encodeAccumulators } from './points'
export { doublePoints, loadPoints, runProgram, setTables, storeEntries } from './table'
export { HEAP, INPUT, MAX_PAIRS, MAX_POINTS, OUTPUT, PAIR_ACTIONS, PAIR_SCALARS, PAIR_TABLES, POINTS, PROGRAM } from './layout'

/** Fills the constants. False if this processor rounds products before it adds: then every result would be wrong. */
export function init(): bool {
  if (__heap_base > ACCUMULATORS) unreachable()
  initField()
  if (!isFused()) return false
  initTables()
  initRoots()
  initMap()
  initHashToField()
  initAes()
  return true
}
