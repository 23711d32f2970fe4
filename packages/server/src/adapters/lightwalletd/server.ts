import { type CallOptions, Code, ConnectError, createClient } from '@connectrpc/connect'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Block, CompactTransaction } from '../../domain/chain/chain.ts'
import { type ConsensusParams, isActive } from '../../domain/chain/network-upgrade.ts'
import type { ServerTip } from '../../ports/chain.ts'
import { decodeBlock, decodeTip, decodeTransaction, InvalidResponse } from './decode.ts'
import { Http2Sessions } from './http2-sessions.ts'
import { inspectInfo, type ServerInspection } from './inspection.ts'
import { createBoundedTransport, streamUndecoded } from './transport.ts'

/** One light-client server. Each call is a single attempt with a deadline; `isTransient` decides whether to retry it. */
export interface LightwalletServer {
  /** Host and port, for log messages. */
  readonly name: string
  tip(signal: AbortSignal): Promise<ServerTip>
  /**
   * Blocks `from` to `to`, both inclusive.
   * @throws InvalidResponse for an unexpected height, or for an empty Ironwood tree after NU6.3
   */
  blocks(from: number, to: number, signal: AbortSignal): AsyncGenerator<Block>
  /** Raw transactions. Has no deadline: the server ends the stream at the next block. */
  mempoolStream(signal: AbortSignal): AsyncGenerator<Uint8Array>
  mempool(signal: AbortSignal): Promise<CompactTransaction[]>
  /** @throws InvalidResponse when the server cannot be used */
  inspect(signal: AbortSignal): Promise<ServerInspection>
  close(): void
}

/** Call deadlines in milliseconds. */
export interface CallDeadlines {
  readonly unaryMs: number
  readonly rangeMs: number
  readonly snapshotMs: number
}

const DEFAULT_DEADLINES: CallDeadlines = { unaryMs: 10_000, rangeMs: 90_000, snapshotMs: 30_000 }
/**
 * Far above the mempool limit of a node (ZIP 401): 80 million bytes, where each transaction counts as at least 10,000. An
 * action takes 3,156 bytes.
 */
const MAX_SNAPSHOT_TRANSACTIONS = 20_000
const MAX_SNAPSHOT_ACTIONS = 50_000
const MAX_SNAPSHOT_BYTES = 32_000_000
/** Transactions until the next block: the mempool, and what comes in. */
const MAX_STREAM_TRANSACTIONS = 20_000
const { getBlockRange, getMempoolTx } = CompactTxStreamer.method
const KEEP_ALIVE = { pingIntervalMs: 20_000, pingTimeoutMs: 10_000, idleConnectionTimeoutMs: 300_000 }

/** @param url `https://…`, or `http://…` for HTTP/2 without TLS. */
export function connectServer(
  url: string,
  params: ConsensusParams,
  deadlines: Partial<CallDeadlines> = {},
): LightwalletServer {
  const { unaryMs, rangeMs, snapshotMs } = { ...DEFAULT_DEADLINES, ...deadlines }
  const { host, origin } = new URL(url)
  const sessionManager = new Http2Sessions(origin, KEEP_ALIVE)
  const transport = createBoundedTransport(url, sessionManager)
  const client = createClient(CompactTxStreamer, transport)
  const unary = (signal: AbortSignal): CallOptions => ({ signal, timeoutMs: unaryMs })

  async function tip(signal: AbortSignal): Promise<ServerTip> {
    return decodeTip(await client.getLatestBlock({}, unary(signal)))
  }

  function checkIronwood({ height, treeSizes }: Block): void {
    if (isActive(params, 'NU6.3', height) && treeSizes.ironwood === 0)
      throw new InvalidResponse(`hides Ironwood: its tree is empty at height ${height}, after NU6.3`)
  }

  async function* blocks(from: number, to: number, signal: AbortSignal): AsyncGenerator<Block> {
    const range = { start: { height: BigInt(from) }, end: { height: BigInt(to) } }
    let next = from
    for await (const message of streamed(
      streamSignal => streamUndecoded(transport, getBlockRange, range, streamSignal),
      signal,
      rangeMs,
    )) {
      const block = await decodeBlock(message)
      if (block.height !== next || next > to)
        throw new InvalidResponse(`returned block ${block.height} where ${next} was requested`)
      checkIronwood(block)
      yield block
      next += 1
    }
  }

  return {
    name: host,
    tip,
    blocks,

    async *mempoolStream(signal) {
      let count = 0
      for await (const { data } of streamed(
        streamSignal => client.getMempoolStream({}, { signal: streamSignal }),
        signal,
      )) {
        if (++count > MAX_STREAM_TRANSACTIONS) throw new InvalidResponse('the mempool stream exceeds the size limit')
        yield data
      }
    },

    async mempool(signal) {
      const transactions: CompactTransaction[] = []
      let actions = 0
      let count = 0
      let bytes = 0
      for await (const message of streamed(
        streamSignal => streamUndecoded(transport, getMempoolTx, {}, streamSignal),
        signal,
        snapshotMs,
      )) {
        const transaction = await decodeTransaction(message)
        count += 1
        bytes += message.length
        if (transaction) {
          actions += transaction.orchard.length + transaction.ironwood.length
          transactions.push(transaction)
        }
        const tooMany = count > MAX_SNAPSHOT_TRANSACTIONS || actions > MAX_SNAPSHOT_ACTIONS
        if (tooMany || bytes > MAX_SNAPSHOT_BYTES)
          throw new InvalidResponse('the mempool response exceeds the size limit')
      }
      return transactions
    },

    async inspect(signal) {
      const info = await client.getLightdInfo({}, unary(signal))
      const { height } = await tip(signal)
      const inspection = inspectInfo(info, height, params)
      // Only the genesis block exists. Servers treat height 0 as a request without a block.
      if (height === 0) return inspection
      // Reading the newest block checks its Ironwood tree.
      for await (const _ of blocks(height, height, signal)) return inspection
      throw new InvalidResponse(`has no block at its own tip (height ${height})`)
    },

    close: () => sessionManager.abort(),
  }
}

/** Made once: an error holds its stack, and a stream ends with each sync. */
const ENDED = new DOMException('the stream has ended', 'AbortError')

/** Cancels the stream when its consumer stops or `limitMs` elapses. The client alone leaves abandoned streams open. */
async function* streamed<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  signal: AbortSignal,
  limitMs?: number,
): AsyncGenerator<T> {
  const stopped = new AbortController()
  const abort = () => stopped.abort(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  const timeout = () => stopped.abort(new DOMException(`the deadline of ${limitMs} ms has passed`, 'TimeoutError'))
  const timer = limitMs === undefined ? undefined : setTimeout(timeout, limitMs).unref()
  try {
    yield* open(stopped.signal)
  } catch (error) {
    // The transport wraps errors of its body.
    throw error instanceof ConnectError && error.cause instanceof InvalidResponse ? error.cause : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    stopped.abort(ENDED)
  }
}

/** Whether a retry of the same call may succeed. @param signal the caller's signal: an aborted call is not retried */
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

/** Whether the server ended a range past its tip: lightwalletd and Zaino use OutOfRange, Zebra NotFound. */
export function isPastTip(error: unknown): boolean {
  return error instanceof ConnectError && (error.code === Code.OutOfRange || error.code === Code.NotFound)
}

/** Whether the server does not offer the call. */
export function isUnimplemented(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unimplemented
}
