import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import type { Network } from '@zatgate/zcash/network'
import { incomingViewingKeyFromBytes } from '@zatgate/zcash/viewing-key'
import { createNoteScanner } from '../../src/adapters/zcash/note-scanner.ts'
import type { NoteScanner } from '../../src/ports/note-scanner.ts'
import { silentLog } from './log.ts'

/** Addresses by network, key and index: the databases of a process count from the same index, and often have the same key. */
const derived = new Map<string, string>()

function addressOf(network: Network, incoming: Uint8Array, index: bigint): string {
  const name = `${network} ${Buffer.from(incoming).toString('hex')} ${index}`
  const address =
    derived.get(name) ?? encodeAddress(network, orchardReceiver(incomingViewingKeyFromBytes(incoming), index))
  derived.set(name, address)
  return address
}

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
      return Array.from({ length: count }, (_, i) => addressOf(network, incoming, from + BigInt(i)))
    },
    scan: () => Promise.reject(new Error('not supported by the plain note scanner')),
    toCompact: () => Promise.reject(new Error('not supported by the plain note scanner')),
    close,
  }
}
