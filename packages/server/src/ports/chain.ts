import type { Network } from '../domain/account.ts'
import type { Block, CompactTransaction, Header } from '../domain/chain.ts'
import type { ChainProblem } from '../domain/chain-problem.ts'
import type { Rewind } from '../domain/payment.ts'
import type { Pool } from '../domain/shielded-pool.ts'
import type { KeyExpiry } from '../domain/viewing-key.ts'

/** The chain source: one light-client server, or several of which one is in use at a time. */
export interface Chain {
  /** Height of the newest block of the server in use. Checks that the server serves this network and every pool. */
  tip(signal: AbortSignal): Promise<number>
  /** Blocks `from` … `to`, both included, in order. Ends early, without an error, where the server has no more blocks. */
  blocks(from: number, to: number, signal: AbortSignal): AsyncIterable<Block>
  /** Raw transactions: the whole mempool, then each new one. The stream ends when a block is found; reopen it then. */
  mempool(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** The whole mempool at one moment, for all shielded pools. */
  mempoolSnapshot(signal: AbortSignal): Promise<CompactTransaction[]>
  /** Changes with every change of the server in use. Responses are consistent with each other only within one epoch. */
  readonly era: number
  /** Problems of the server in use, or of all servers, as of the calls made so far. */
  readonly problems: readonly ChainProblem[]
  /** Abandons the server in use for the next one, because of what it served. */
  distrust(reason: string): void
  close(): Promise<void>
}

/** A key for trial decryption. `incoming` is dk ‖ ivk. */
export interface WatchKey {
  readonly id: number
  readonly incoming: Uint8Array
}

/** A note that one of the viewing keys decrypts. */
export interface OpenedNote {
  readonly viewingKeyId: number
  readonly txid: string
  readonly pool: Pool
  readonly outputIndex: number
  readonly valueZat: bigint
  readonly diversifierIndex: bigint
}

export interface ImportedKey {
  readonly network: Network
  /** dk ‖ ivk of the external scope, 64 bytes. No other part of the key is stored. */
  readonly incoming: Uint8Array
  /** Absent for a key that never expires. Times after the year 9999 are given as its last second. */
  readonly expiry?: KeyExpiry
}

/** The Zcash cryptography. The expensive parts run outside the main thread. */
export interface Viewer {
  /**
   * Parses a UFVK or UIVK (ZIP 316, Revision 0 or 2) that has an Orchard item. With `network`, a key of another network
   * is refused. Expired keys are accepted: the caller checks the expiry.
   * @throws AppError `invalid_viewing_key` with the reason in `detail`.
   */
  importKey(text: string, network?: Network): ImportedKey
  /** The addresses at `count` diversifier indexes, starting with `from`. */
  addresses(incoming: Uint8Array, network: Network, from: bigint, count: number): Promise<string[]>
  /**
   * The diversifier index of this address under the key. For an address of another key, a meaningless number below 2^88.
   * Null for text that is not an address with an Orchard receiver.
   */
  indexOf(incoming: Uint8Array, address: string): bigint | null
  /**
   * The notes in these transactions that any of the keys decrypts, in all pools: the caller decides which pool counts at
   * a height. The result is complete; when any part of the scan fails, the call rejects.
   */
  open(
    keys: readonly WatchKey[],
    transactions: readonly CompactTransaction[],
    signal?: AbortSignal,
  ): Promise<OpenedNote[]>
  /** Converts a raw transaction to compact form, with its expiry height. Null for bytes that cannot be parsed. */
  compact(raw: Uint8Array): Promise<{ transaction: CompactTransaction; expiryHeight: number } | null>
  close(): Promise<void>
}

export interface ChainRows {
  /**
   * Locks the chain until the transaction ends. It is the first statement of every transaction that writes chain data:
   * only one of them runs at a time, over all processes, so its reads stay valid until its end. Invoices are locked after
   * it, never before.
   */
  lock(): Promise<void>
  /** The newest header, or null before the first block. */
  tip(): Promise<Header | null>
  headerAt(height: number): Promise<Header | null>
  oldestHeight(): Promise<number | null>
  /** The newest headers, newest first. */
  newest(limit: number): Promise<Header[]>
  /** The lowest header, except the oldest, whose predecessor is missing or has another hash. Null when all are linked. */
  brokenLink(): Promise<Header | null>
  /** Appends headers in order and deletes those more than HEADERS_KEPT below the newest. */
  append(headers: readonly Header[]): Promise<void>
  removeAbove(height: number): Promise<void>
  /** Records that the blocks above a height were removed, together with the newest invoice id at this moment. */
  noteRewind(toHeight: number): Promise<void>
  /** All recorded rewinds. */
  rewinds(): Promise<Rewind[]>
  /** Deletes all headers. */
  removeAll(): Promise<void>
  /** The time up to which chain and mempool are completely known, in Unix seconds; 0 before the first complete sync. */
  seenThrough(): Promise<number>
  /**
   * Sets the time up to which chain and mempool are known. It moves back only when the stored time is after `now`, which
   * means that a wrong clock wrote it.
   */
  setSeenThrough(unixSecs: number, now: number): Promise<void>
  /** The present problems of the chain source, and since when (Unix seconds). */
  problems(): Promise<(ChainProblem & { readonly since: number })[]>
  /** Replaces the problems. A problem that persists keeps its `since`. */
  setProblems(problems: readonly ChainProblem[], now: number): Promise<void>
}
