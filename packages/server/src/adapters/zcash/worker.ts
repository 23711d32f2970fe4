/** Worker thread of the note scanner. Caches the parsed keys by id. */
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { encodeAddress, orchardReceiver } from '@zatgate/zcash/address'
import { KernelError, ZcashError } from '@zatgate/zcash/errors'
import { createKernel, type Kernel } from '@zatgate/zcash/kernel/kernel'
import { toCompactAction, tryDecryptCompactActions } from '@zatgate/zcash/note'
import { parseTransaction, txidToHex } from '@zatgate/zcash/transaction'
import { type IncomingViewingKey, incomingViewingKeyFromBytes } from '@zatgate/zcash/viewing-key'
import type { Network } from '../../domain/account/account.ts'
import { type JobResults, type ScanMatch, unpackActions, type WorkerMessage, type WorkerReply } from './messages.ts'
import { createSampler } from './sampler.ts'

/**
 * About one result in this number is computed again by the plain path, which takes as long as 200 pairs or 20 addresses
 * of the kernel.
 */
const samplePair = createSampler(20_000)
const sampleAddress = createSampler(1_000)

let created: Kernel | undefined

const keys = new Map<number, IncomingViewingKey>()

prepare()

parentPort!.on('message', (message: WorkerMessage) => {
  parentPort!.postMessage(replyTo(message))
})

function replyTo(message: WorkerMessage): WorkerReply {
  try {
    return { result: run(message) }
  } catch (error) {
    if (error instanceof KernelError) return { kernelError: error.message }
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

function scan(message: Extract<WorkerMessage, { kind: 'scan' }>): ScanMatch[] {
  const { keyIds, newKeys, clearKeys, pool, actions, plain } = message
  if (clearKeys) keys.clear()
  for (const { id, incoming } of newKeys) keys.set(id, incomingViewingKeyFromBytes(incoming))
  const scanKeys = keyIds.map(id => {
    const key = keys.get(id)
    if (!key) throw new Error('unknown key id in a scan job')
    return key
  })
  const tryDecrypt = plain ? tryDecryptCompactActions : kernel().tryDecryptCompactActions
  return tryDecrypt(scanKeys, pool, unpackActions(actions)).map(({ keyIndex, actionIndex, note }) => ({
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
  plain,
}: Extract<WorkerMessage, { kind: 'deriveAddresses' }>): string[] {
  const key = incomingViewingKeyFromBytes(incoming)
  const addressAt = (offset: number) => encodeAddress(network, orchardReceiver(key, from + BigInt(offset)))
  if (plain) return Array.from({ length: count }, (_, offset) => addressAt(offset))
  const addresses = deriveWithKernel(key, network, from, count)
  const sampled = sampleAddress(count)
  if (sampled !== undefined && addresses[sampled] !== addressAt(sampled))
    throw new KernelError('an address differs from that of the plain path')
  return addresses
}

function deriveWithKernel(key: IncomingViewingKey, network: Network, from: bigint, count: number): string[] {
  const { encodeAddresses, orchardReceivers } = kernel()
  return encodeAddresses(network, orchardReceivers(key, from, count))
}

/** Computes what the first address needs before a job waits for it. An error is reported by the job. */
function prepare(): void {
  try {
    deriveWithKernel({ dk: new Uint8Array(32), ivk: 1n }, 'regtest', 0n, 1)
  } catch (error) {
    if (!(error instanceof KernelError)) throw error
  }
}

/** @throws KernelError */
function kernel(): Kernel {
  try {
    created ??= createKernel(readFileSync(new URL(import.meta.resolve('@zatgate/zcash/kernel.wasm'))), samplePair)
    return created
  } catch (error) {
    throw new KernelError(error instanceof Error ? error.message : String(error))
  }
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
