import type { Viewer } from '../src/ports.ts'
import { plainViewer } from '../test/support/plain-viewer.ts'

/** As long as a real one. */
const ADDRESS = `uregtest1${'q'.repeat(105)}`

/** A viewer whose addresses cost nothing, and are none: for measuring what lies around them. */
export function addressesAtHand(): Viewer {
  return { ...plainViewer(), addresses: async (_incoming, _network, _from, count) => Array(count).fill(ADDRESS) }
}
