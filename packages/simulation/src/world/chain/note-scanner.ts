import { invalidField } from '@zatgate/server/domain/error'
import type { DecryptedNote, NoteScanner } from '@zatgate/server/ports/note-scanner'
import type { Scheduler } from '../../runtime/scheduler.ts'
import type { Network } from './network.ts'
import type { WorldTransaction } from './transaction.ts'

const INCOMING_BYTES = 64
const OF_ANOTHER_KEY = 2n ** 88n - 1n

/**
 * The cryptography of the simulated network: a viewing key is a text such as `uview-7`, an address names its key and its
 * index, and a note is visible to the key that it names.
 */
export function createNoteScanner(network: Network, scheduler: Pick<Scheduler, 'pause'>): NoteScanner {
  return {
    parseViewingKey(text, expected) {
      if (!/^uview-[\w-]{1,50}$/.test(text)) throw invalidField('viewing_key', 'not a key')
      return { network: expected ?? 'test', incoming: incomingOf(text) }
    },

    start() {},

    async deriveAddresses(incoming, _network, from, count) {
      await scheduler.pause()
      return Array.from({ length: count }, (_, i) => addressAt(viewingKeyOf(incoming), from + BigInt(i)))
    },

    diversifierOf: address => (parseAddress(address) ? Buffer.from(address) : null),

    diversifierIndexOf(incoming, diversifier) {
      const parsed = parseAddress(Buffer.from(diversifier).toString())
      return parsed?.viewingKey === viewingKeyOf(incoming) ? parsed.diversifierIndex : OF_ANOTHER_KEY
    },

    async scan(keys, transactions) {
      await scheduler.pause()
      const ids = new Map(keys.map(({ id, incoming }) => [viewingKeyOf(incoming), id]))
      return notesOf(
        transactions.flatMap(({ txid }) => network.transactions.get(txid) ?? []),
        ids,
      )
    },

    async toCompact(raw) {
      const txid = Buffer.from(raw).toString('hex')
      const transaction = network.transactions.get(txid)
      if (!transaction) return null
      return { transaction: { txid, orchard: [], ironwood: [] }, expiryHeight: transaction.expiryHeight }
    },

    async close() {},
  }
}

/** The notes that viewing keys decrypt. @param ids the row of each key, by its text */
export function notesOf(transactions: readonly WorldTransaction[], ids: ReadonlyMap<string, number>): DecryptedNote[] {
  return transactions.flatMap(({ txid, notes }) =>
    notes.flatMap(({ viewingKey, ...note }): DecryptedNote[] => {
      const viewingKeyId = ids.get(viewingKey)
      return viewingKeyId === undefined ? [] : [{ ...note, txid, viewingKeyId }]
    }),
  )
}

function incomingOf(viewingKey: string): Uint8Array {
  return Buffer.from(viewingKey.padEnd(INCOMING_BYTES, ' '))
}

function viewingKeyOf(incoming: Uint8Array): string {
  return Buffer.from(incoming).toString().trimEnd()
}

export function addressAt(viewingKey: string, diversifierIndex: bigint): string {
  return `utest1 ${viewingKey} ${diversifierIndex}`
}

/** The key and index that a simulated address pays. Null for other text. */
export function parseAddress(address: string): { viewingKey: string; diversifierIndex: bigint } | null {
  const match = /^utest1 (uview-\S+) (\d+)$/.exec(address)
  return match && { viewingKey: match[1]!, diversifierIndex: BigInt(match[2]!) }
}
