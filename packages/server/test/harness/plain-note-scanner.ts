import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { incomingViewingKeyFromBytes } from '@zatgate/zcash/viewing-key'
import { createNoteScanner } from '../../src/adapters/zcash/note-scanner.ts'
import type { NoteScanner } from '../../src/ports/note-scanner.ts'
import { silentLog } from './log.ts'

/** A note scanner without threads that only parses keys and derives addresses, for tests without chain sync. */
export function createPlainNoteScanner(): NoteScanner {
  // Its threads start on demand, which never happens here.
  const { parseViewingKey, diversifierOf, diversifierIndexOf, close } = createNoteScanner({
    log: silentLog,
    threads: 1,
  })
  return {
    start: () => {},
    parseViewingKey,
    diversifierOf,
    diversifierIndexOf,
    async deriveAddresses(incoming, network, from, count) {
      const key = incomingViewingKeyFromBytes(incoming)
      return Array.from({ length: count }, (_, i) => encodeAddress(network, orchardReceiver(key, from + BigInt(i))))
    },
    scan: () => Promise.reject(new Error('not supported by the plain note scanner')),
    toCompact: () => Promise.reject(new Error('not supported by the plain note scanner')),
    close,
  }
}
