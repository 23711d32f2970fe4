import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Action } from '@zatgate/zcash/note'
import type { ShieldedPool } from '@zatgate/zcash/shielded-pool'
import { ACTION_LAYOUT, txidFromHex } from '@zatgate/zcash/transaction'
import type { ChainEvent, EvictionReason } from './chain-state.ts'
import type { SandboxNetwork } from './keys.ts'
import type { ChainParameters } from './parameters.ts'
import type { ChainTransaction } from './transaction.ts'

/** The append-only store of the events of a chain. */
export interface ChainLog {
  append(events: readonly ChainEvent[]): void
  close(): void
}

/** Discards all events, for a chain in memory only. */
export const NO_LOG: ChainLog = { append: () => undefined, close: () => undefined }

/**
 * Opens the log file, or creates it with `parameters`. The file has one JSON line per event. Each line is written before
 * the event is applied. A last line that a crash cut short is removed. Throws when the file is not a chain log.
 */
export function openChainLog(path: string, parameters: () => ChainParameters): OpenedLog {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (text === '') return createLog(path, parameters())
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  const [first = '', ...rest] = complete.split('\n').slice(0, -1)
  const contents = { parameters: decodeParameters(path, first), events: rest.map(decodeLine) }
  const file = openSync(path, 'a')
  ftruncateSync(file, Buffer.byteLength(complete))
  return { ...contents, log: fileLog(file) }
}

function createLog(path: string, parameters: ChainParameters): OpenedLog {
  const file = openSync(path, 'a', 0o600)
  writeAll(file, `${JSON.stringify(encodeParameters(parameters))}\n`)
  return { log: fileLog(file), parameters, events: [] }
}

function fileLog(file: number): ChainLog {
  return {
    append: events => writeAll(file, events.map(event => `${JSON.stringify(encodeEvent(event))}\n`).join('')),
    close: () => closeSync(file),
  }
}

/** An open log with what it contained. */
export interface OpenedLog {
  readonly log: ChainLog
  readonly parameters: ChainParameters
  readonly events: readonly ChainEvent[]
}

const FORMAT = 'zatgate-sandbox-chain-1'

interface ParametersRow {
  format: string
  seed: string
  network: SandboxNetwork
  nu63_height: number
  nu7_height: number | null
}

interface TransactionRow {
  txid: string
  pool: ShieldedPool
  expiry_height: number
  actions: string[]
  coinbase: boolean
  branch_id: number
  /** decimal; absent: 0 */
  miner_output_zat?: string
}

type EventRow =
  | { kind: 'transaction'; transaction: TransactionRow }
  | { kind: 'evicted'; txid: string; reason: EvictionReason }
  | { kind: 'block'; height: number; hash: string; time: number; coinbase: TransactionRow; txids: readonly string[] }
  | { kind: 'disconnected'; height: number }

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

function encodeParameters({ seed, network, nu63Height, nu7Height }: ChainParameters): ParametersRow {
  return { format: FORMAT, seed: toBase64(seed), network, nu63_height: nu63Height, nu7_height: nu7Height }
}

function decodeParameters(path: string, line: string): ChainParameters {
  const row = parseRow<Partial<ParametersRow>>(line) ?? {}
  const { format, seed, network, nu63_height: nu63Height, nu7_height: nu7Height } = row
  const isComplete = seed !== undefined && network !== undefined && nu63Height !== undefined && nu7Height !== undefined
  if (format !== FORMAT || !isComplete) {
    throw new Error(`${path} is not a sandbox chain; move it or choose another data directory`)
  }
  return { seed: fromBase64(seed), network, nu63Height, nu7Height }
}

function parseRow<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T
  } catch {
    return undefined
  }
}

function encodeEvent(event: ChainEvent): EventRow {
  switch (event.kind) {
    case 'transaction':
      return { kind: 'transaction', transaction: encodeTransaction(event.transaction) }
    case 'evicted':
      return { kind: 'evicted', txid: event.id, reason: event.reason }
    case 'block': {
      const { height, hash, time, coinbase, ids } = event.block
      return {
        kind: 'block',
        height,
        hash: toBase64(hash),
        time,
        coinbase: encodeTransaction(coinbase),
        txids: ids,
      }
    }
    case 'disconnected':
      return event
  }
}

function decodeLine(line: string): ChainEvent {
  const row = JSON.parse(line) as EventRow
  switch (row.kind) {
    case 'transaction':
      return { kind: 'transaction', transaction: decodeTransaction(row.transaction) }
    case 'evicted':
      return { kind: 'evicted', id: row.txid, reason: row.reason }
    case 'block': {
      const { height, hash, time, coinbase, txids } = row
      const block = { height, hash: fromBase64(hash), time, coinbase: decodeTransaction(coinbase), ids: txids }
      return { kind: 'block', block }
    }
    case 'disconnected':
      return row
  }
}

function encodeTransaction(transaction: ChainTransaction): TransactionRow {
  const { id, pool, branchId, expiryHeight, actions, coinbase, minerOutputZat } = transaction
  return {
    txid: id,
    pool,
    expiry_height: expiryHeight,
    actions: actions.map(encodeAction),
    coinbase,
    branch_id: branchId,
    ...(minerOutputZat > 0n && { miner_output_zat: String(minerOutputZat) }),
  }
}

function decodeTransaction(row: TransactionRow): ChainTransaction {
  return {
    txid: txidFromHex(row.txid),
    id: row.txid,
    pool: row.pool,
    branchId: row.branch_id,
    expiryHeight: row.expiry_height,
    actions: row.actions.map(decodeAction),
    coinbase: row.coinbase,
    minerOutputZat: BigInt(row.miner_output_zat ?? 0),
  }
}

function encodeAction(action: Action): string {
  return toBase64(Buffer.concat(ACTION_LAYOUT.map(([name]) => action[name])))
}

function decodeAction(text: string): Action {
  const bytes = fromBase64(text)
  let offset = 0
  const fields = ACTION_LAYOUT.map(([name, length]) => {
    offset += length
    return [name, bytes.subarray(offset - length, offset)]
  })
  return Object.fromEntries(fields) as Action
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'))
}
