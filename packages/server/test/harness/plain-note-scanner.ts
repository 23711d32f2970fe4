import { diversifierIndex, encodeAddress, orchardReceiver, parseAddress } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import { incomingViewingKeyFromBytes, incomingViewingKeyToBytes, parseViewingKey } from '@zatgate/zcash/viewing-key'
import { toKeyExpiry } from '../../src/adapters/zcash/key-expiry.ts'
import { invalidField } from '../../src/domain/error.ts'
import type { NoteScanner } from '../../src/ports/note-scanner.ts'

/** A note scanner without threads that only parses keys and derives addresses, for tests without chain sync. */
export function createPlainNoteScanner(): NoteScanner {
  return {
    parseViewingKey(text, network) {
      try {
        const key = parseViewingKey(text)
        if (!key.orchard || (network && key.network !== network))
          throw invalidField('viewing_key', 'wrong network or no Orchard item')
        const expiry = key.expiry && toKeyExpiry(key.expiry)
        return { network: key.network, incoming: incomingViewingKeyToBytes(key.orchard), ...(expiry && { expiry }) }
      } catch (error) {
        throw error instanceof ZcashError ? invalidField('viewing_key', error.message) : error
      }
    },
    async deriveAddresses(incoming, network, from, count) {
      const key = incomingViewingKeyFromBytes(incoming)
      return Array.from({ length: count }, (_, i) => encodeAddress(network, orchardReceiver(key, from + BigInt(i))))
    },
    diversifierIndexOf(incoming, address) {
      const { orchard } = parseAddress(address)
      return orchard ? diversifierIndex(incomingViewingKeyFromBytes(incoming), orchard.subarray(0, 11)) : null
    },
    scan: () => Promise.reject(new Error('not supported by the plain note scanner')),
    toCompact: () => Promise.reject(new Error('not supported by the plain note scanner')),
    close: async () => {},
  }
}
