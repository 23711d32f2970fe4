import type { Block, CompactTransaction } from '../domain/chain/chain.ts'
import type { ChainProblem } from '../domain/chain/chain-problem.ts'

/** The newest block of a server. */
export interface ServerTip {
  readonly height: number
  /** Hex, in display byte order. Null: not reported. Proves equality only: servers have reported it in the wrong byte order. */
  readonly hash: string | null
}

/** The blocks and mempool of one server, to compare it with the others. The mempool was read before the blocks. */
export interface ServerView {
  /** Height of its newest block. */
  readonly height: number
  /** Null: it cannot be read. */
  readonly mempool: readonly CompactTransaction[] | null
  readonly blocks: readonly Block[]
}

/** The chain source: one light-client server, or several of which one is in use at a time. */
export interface Chain {
  /** The newest block of the server in use. Checks that the server serves this network and every pool. */
  tip(signal: AbortSignal): Promise<ServerTip>
  /** Blocks `from` … `to`, both included, in order. Ends early, without an error, where the server has no more blocks. */
  blocks(from: number, to: number, signal: AbortSignal): AsyncIterable<Block>
  /** Raw transactions: the whole mempool, then each new one. The stream ends when a block is found; reopen it then. */
  mempool(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** The whole mempool at one moment, for all shielded pools. */
  mempoolSnapshot(signal: AbortSignal): Promise<CompactTransaction[]>
  /** Number of configured servers. */
  readonly servers: number
  /** Reads the mempool and the blocks `from` … `to` of every server that responds in time, also of the one in use. */
  views(from: number, to: number, signal: AbortSignal): Promise<ServerView[]>
  /** Changes with every change of the server in use. Responses are consistent with each other only within one epoch. */
  readonly serverEpoch: number
  /** Problems of the server in use, or of all servers, as of the calls made so far. */
  readonly problems: readonly ChainProblem[]
  /** Abandons the server in use for the next one, because of what it served. */
  abandonServer(reason: string): void
  close(): Promise<void>
}
