import type { NoteScanner } from '../src/ports/note-scanner.ts'
import { createPlainNoteScanner } from '../test/harness/plain-note-scanner.ts'

/** As long as a real address. */
const ADDRESS = `uregtest1${'q'.repeat(105)}`

/** A note scanner that returns constant addresses, to measure everything but their derivation. */
export function instantAddresses(): NoteScanner {
  return {
    ...createPlainNoteScanner(),
    deriveAddresses: async (_incoming, _network, _from, count) => Array(count).fill(ADDRESS),
  }
}
