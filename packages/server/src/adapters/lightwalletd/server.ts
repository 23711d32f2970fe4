import { type CallOptions, Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Block, CompactTransaction } from '../../domain/chain.ts'
import { type ConsensusParams, isActive } from '../../domain/network-upgrade.ts'
import { BadAnswer, decodeBlock, decodeHeight, decodeTransaction } from './decode.ts'
import { type Inspection, inspectInfo } from './inspection.ts'

/** One light-client server. Each call is a single try with a deadline; see `isTransient` for which to repeat. */
export interface Server {
  /** Host and port, for the log. */
  readonly name: string
  latestHeight(signal: AbortSignal): Promise<number>
  /** Both ends included; refuses blocks of other heights, or out of order. */
  blocks(from: number, to: number, signal: AbortSignal): AsyncGenerator<Block>
  /** No deadline: it ends with the next block. */
  mempoolStream(signal: AbortSignal): AsyncGenerator<Uint8Array>
  mempool(signal: AbortSignal): Promise<CompactTransaction[]>
  /** @throws BadAnswer when the server cannot be used. */
  inspect(signal: AbortSignal): Promise<Inspection>
  close(): void
}

/** Milliseconds until a call is given up. */
export interface Deadlines {
  readonly unaryMs: number
  readonly rangeMs: number
  readonly snapshotMs: number
}

const USUAL_DEADLINES: Deadlines = { unaryMs: 10_000, rangeMs: 90_000, snapshotMs: 30_000 }
/** A compact block has at most a few hundred outputs, a raw transaction 2 MB. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
/** Far more than a node's mempool holds (ZIP 401). */
const MAX_SNAPSHOT_TRANSACTIONS = 100_000
const MAX_SNAPSHOT_ACTIONS = 200_000
const KEEP_ALIVE = { pingIntervalMs: 20_000, pingTimeoutMs: 10_000, idleConnectionTimeoutMs: 300_000 }

/** @param url `https://…`, or `http://…` for HTTP/2 without TLS. */
export function connectServer(url: string, params: ConsensusParams, deadlines: Partial<Deadlines> = {}): Server {
  const { unaryMs, rangeMs, snapshotMs } = { ...USUAL_DEADLINES, ...deadlines }
  const { host, origin } = new URL(url)
  const sessionManager = new Http2SessionManager(origin, KEEP_ALIVE)
  const transport = createGrpcTransport({
    baseUrl: url,
    sessionManager,
    acceptCompression: [],
    readMaxBytes: MAX_MESSAGE_BYTES,
  })
  const client = createClient(CompactTxStreamer, transport)
  const unary = (signal: AbortSignal): CallOptions => ({ signal, timeoutMs: unaryMs })

  async function latestHeight(signal: AbortSignal): Promise<number> {
    return decodeHeight((await client.getLatestBlock({}, unary(signal))).height)
  }

  function checkIronwood({ height, trees }: Block): void {
    if (isActive(params, 'NU6.3', height) && trees.ironwood === 0)
      throw new BadAnswer(`hides Ironwood: its tree is empty at height ${height}, after NU6.3`)
  }

  async function* blocks(from: number, to: number, signal: AbortSignal): AsyncGenerator<Block> {
    const range = { start: { height: BigInt(from) }, end: { height: BigInt(to) } }
    let next = from
    for await (const message of streamed(own => client.getBlockRange(range, { signal: own }), signal, rangeMs)) {
      const block = decodeBlock(message)
      if (block.height !== next || next > to) throw new BadAnswer(`block ${block.height} where ${next} was asked for`)
      checkIronwood(block)
      yield block
      next += 1
    }
  }

  return {
    name: host,
    latestHeight,
    blocks,

    async *mempoolStream(signal) {
      for await (const { data } of streamed(own => client.getMempoolStream({}, { signal: own }), signal)) yield data
    },

    async mempool(signal) {
      const transactions: CompactTransaction[] = []
      let actions = 0
      for await (const message of streamed(own => client.getMempoolTx({}, { signal: own }), signal, snapshotMs)) {
        const transaction = decodeTransaction(message)
        actions += transaction.orchard.length + transaction.ironwood.length
        transactions.push(transaction)
        if (transactions.length > MAX_SNAPSHOT_TRANSACTIONS || actions > MAX_SNAPSHOT_ACTIONS) {
          throw new BadAnswer('a mempool without end')
        }
      }
      return transactions
    },

    async inspect(signal) {
      const info = await client.getLightdInfo({}, unary(signal))
      const height = await latestHeight(signal)
      const inspection = inspectInfo(info, height, params)
      // A chain of the first block alone: servers take height 0 for a request that names no block.
      if (height === 0) return inspection
      // Reading the newest block checks its Ironwood tree.
      for await (const _ of blocks(height, height, signal)) return inspection
      throw new BadAnswer(`has no block at its own tip, ${height}`)
    },

    close: () => sessionManager.abort(),
  }
}

/** A stream that is cancelled when it is left or runs out of time: the client lets those that nobody reads stay open. */
async function* streamed<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  signal: AbortSignal,
  limitMs?: number,
): AsyncGenerator<T> {
  const left = new AbortController()
  const signals = [signal, left.signal]
  if (limitMs !== undefined) signals.push(AbortSignal.timeout(limitMs))
  try {
    yield* open(AbortSignal.any(signals))
  } finally {
    left.abort()
  }
}

/** Whether the same call may well succeed when tried again; `signal` is the caller's own. */
export function isTransient(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || !(error instanceof ConnectError)) return false
  switch (error.code) {
    case Code.Unavailable:
    case Code.DeadlineExceeded:
    case Code.Aborted:
    case Code.Internal:
    case Code.ResourceExhausted:
    case Code.Canceled:
      return true
    default:
      return false
  }
}

/** How a server ends a range that goes past its tip: lightwalletd and Zaino with the first, Zebra with the second. */
export function isPastTip(error: unknown): boolean {
  return error instanceof ConnectError && (error.code === Code.OutOfRange || error.code === Code.NotFound)
}
