/** Worker thread of the note scanner. Caches the parsed keys by id. */
import { parentPort } from 'node:worker_threads'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import { toCompactAction, tryDecryptCompactActions } from '@zatgate/zcash/note'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { type IncomingViewingKey, incomingViewingKeyFromBytes } from '@zatgate/zcash/viewing-key'
import { type JobResults, type ScanMatch, unpackActions, type WorkerMessage, type WorkerReply } from './messages.ts'

const keys = new Map<number, IncomingViewingKey>()

parentPort!.on('message', (message: WorkerMessage) => {
  parentPort!.postMessage(replyTo(message))
})

function replyTo(message: WorkerMessage): WorkerReply {
  try {
    return { result: run(message) }
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  }
}

function run(message: WorkerMessage): JobResults[WorkerMessage['kind']] {
  switch (message.kind) {
    case 'scan':
      return scan(message)
    case 'deriveAddresses':
      return deriveAddresses(message)
    case 'toCompact':
      return toCompact(message.raw)
  }
}

function scan({ keyIds, newKeys, clearKeys, pool, actions }: Extract<WorkerMessage, { kind: 'scan' }>): ScanMatch[] {
  if (clearKeys) keys.clear()
  for (const { id, incoming } of newKeys) keys.set(id, incomingViewingKeyFromBytes(incoming))
  const scanKeys = keyIds.map(id => {
    const key = keys.get(id)
    if (!key) throw new Error('unknown key id in a scan job')
    return key
  })
  return tryDecryptCompactActions(scanKeys, pool, unpackActions(actions)).map(({ keyIndex, actionIndex, note }) => ({
    keyIndex,
    actionIndex,
    valueZat: note.value,
    diversifierIndex: note.diversifierIndex,
  }))
}

function deriveAddresses({
  incoming,
  network,
  from,
  count,
}: Extract<WorkerMessage, { kind: 'deriveAddresses' }>): string[] {
  const key = incomingViewingKeyFromBytes(incoming)
  return Array.from({ length: count }, (_, offset) =>
    encodeAddress(network, orchardReceiver(key, from + BigInt(offset))),
  )
}

function toCompact(raw: Uint8Array): JobResults['toCompact'] {
  try {
    const { txid, orchard, ironwood, expiryHeight } = parseTransaction(raw)
    const transaction = {
      txid: txidToHex(txid),
      orchard: orchard.map(toCompactAction),
      ironwood: ironwood.map(toCompactAction),
    }
    return { transaction, expiryHeight }
  } catch (error) {
    if (error instanceof ZcashError) return null
    throw error
  }
}
