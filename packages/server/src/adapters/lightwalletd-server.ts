import { type CallOptions, Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { CompactTxStreamer } from '@zatgate/zcash/lightwallet/gen/compact_tx_streamer_pb'
import type { Network } from '../domain/account.ts'
import type { Block, CompactTransaction } from '../domain/chain.ts'
import { BadAnswer, decodeBlock, decodeHeight, decodeUnmined } from './lightwalletd-decode.ts'

/** What a server must be to be used. */
export interface Expectations {
  readonly network: Network
  /** First block of NU6.3; null: never. */
  readonly nu63Height: number | null
}

export interface Inspection {
  readonly height: number
  /** As the server names itself. */
  readonly version: string
}

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
  /** @throws BadAnswer when the server is not what is expected. */
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
/** How far the node behind a server may be from the height it guesses for its network: the guess is a loose one. */
const SYNCING_BLOCKS = 100
const KEEP_ALIVE = { pingIntervalMs: 20_000, pingTimeoutMs: 10_000, idleConnectionTimeoutMs: 300_000 }

/** @param url `https://…`, or `http://…` for HTTP/2 without TLS. */
export function connectServer(url: string, expected: Expectations, deadlines: Partial<Deadlines> = {}): Server {
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
    const { nu63Height } = expected
    if (nu63Height !== null && height >= nu63Height && trees.ironwood === 0) {
      throw new BadAnswer(`hides Ironwood: its tree is empty at height ${height}, after NU6.3 (${nu63Height})`)
    }
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
        const transaction = decodeUnmined(message)
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
      checkChainName(info.chainName, expected.network)
      const height = await latestHeight(signal)
      checkProtocol(info.lightwalletProtocolVersion, height, expected)
      const behind = info.estimatedHeight - BigInt(height)
      if (behind > SYNCING_BLOCKS) throw new BadAnswer(`is still syncing: ${behind} blocks behind its network`)
      const version = `${info.vendor} ${info.version}`.trim()
      // Reading the newest block checks its Ironwood tree.
      for await (const newest of blocks(height, height, signal)) return { height: newest.height, version }
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

/** How a server ends a range that goes past its tip. */
export function isPastTip(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.OutOfRange
}

function checkChainName(chainName: string, network: Network): void {
  if (chainName !== network) {
    throw new BadAnswer(`serves the chain "${chainName.slice(0, 20)}", and this service is on "${network}"`)
  }
}

/** Protocols before 0.5.0 know no Ironwood. lightwalletd up to 0.5.3 does not say which it speaks. */
function checkProtocol(version: string, height: number, { nu63Height }: Expectations): void {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? []
  const old = major === '0' && Number(minor) < 5
  if (old && nu63Height !== null && height >= nu63Height) {
    throw new BadAnswer(`speaks protocol ${version.slice(0, 20)}, which leaves out Ironwood; 0.5.0 is needed`)
  }
}
