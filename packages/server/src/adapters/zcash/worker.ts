/** The thread that does a viewer's cryptography. Keeps the keys it was given, parsed, by their ids. */
import { parentPort } from 'node:worker_threads'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import { openCompactActions, toCompactAction } from '@zatgate/zcash/note'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { type IncomingViewingKey, incomingFromBytes } from '@zatgate/zcash/viewing-key'
import { type Answers, type Message, type OpenAnswer, type Reply, unpackActions } from './messages.ts'

const keys = new Map<number, IncomingViewingKey>()

parentPort!.on('message', (message: Message) => {
  parentPort!.postMessage(replyTo(message))
})

function replyTo(message: Message): Reply {
  try {
    return { answer: answer(message) }
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }
  }
}

function answer(message: Message): Answers[Message['kind']] {
  switch (message.kind) {
    case 'open':
      return open(message)
    case 'addresses':
      return addresses(message)
    case 'compact':
      return compact(message.raw)
  }
}

function open({ keyIds, newKeys, forget, pool, actions }: Extract<Message, { kind: 'open' }>): OpenAnswer[] {
  if (forget) keys.clear()
  for (const { id, incoming } of newKeys) keys.set(id, incomingFromBytes(incoming))
  const used = keyIds.map(id => {
    const key = keys.get(id)
    if (!key) throw new Error('asked to open notes with a key that was never sent')
    return key
  })
  return openCompactActions(used, pool, unpackActions(actions)).map(({ keyIndex, actionIndex, note }) => ({
    keyIndex,
    actionIndex,
    valueZat: note.value,
    diversifierIndex: note.diversifierIndex,
  }))
}

function addresses({ incoming, network, from, count }: Extract<Message, { kind: 'addresses' }>): string[] {
  const key = incomingFromBytes(incoming)
  return Array.from({ length: count }, (_, offset) =>
    encodeAddress(network, orchardReceiver(key, from + BigInt(offset))),
  )
}

function compact(raw: Uint8Array): Answers['compact'] {
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
