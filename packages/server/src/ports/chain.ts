import type { Network } from '../domain/account.ts'
import type { Block, CompactTransaction, Header } from '../domain/chain.ts'
import type { ChainProblem } from '../domain/chain-problem.ts'
import type { Rewind } from '../domain/payment.ts'
import type { Pool } from '../domain/shielded-pool.ts'
import type { KeyExpiry } from '../domain/viewing-key.ts'

/** The chain source: one light-client server, or several of which one is in use. */
export interface Chain {
  /** Height of the newest block of the server in use, after checking that it serves this network and every pool. */
  tip(signal: AbortSignal): Promise<number>
  /** Blocks `from` … `to`, both included, in order. Ends early, without an error, where the server has no more. */
  blocks(from: number, to: number, signal: AbortSignal): AsyncIterable<Block>
  /** Raw transactions: the whole mempool, then each that enters. Ends when a block is found; reopen then. */
  mempool(signal: AbortSignal): AsyncIterable<Uint8Array>
  /** The whole mempool at one moment, all shielded pools. */
  mempoolSnapshot(signal: AbortSignal): Promise<CompactTransaction[]>
  /** Another number after every change of the server in use: only within one do its answers fit together. */
  readonly era: number
  /** What the server in use lacks, or every server; as of the calls made so far. */
  readonly problems: readonly ChainProblem[]
  /** Gives up the server in use for the next one, because of what it served. */
  distrust(reason: string): void
  close(): Promise<void>
}

/** A key to open notes with. `incoming` is dk ‖ ivk. */
export interface WatchKey {
  readonly id: number
  readonly incoming: Uint8Array
}

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
  /** dk ‖ ivk of the external scope, 64 bytes: all that is kept. */
  readonly incoming: Uint8Array
  /** Absent: the key never expires. Times beyond the year 9999 are stated as its end. */
  readonly expiry?: KeyExpiry
}

/** Everything that needs Zcash cryptography; off the main thread. */
export interface Viewer {
  /**
   * Reads a UFVK or UIVK of ZIP 316 Revision 0 or 2 with an Orchard item; of `network`, where one is given. An expired
   * key is read too: the caller judges its expiry.
   * @throws Fault `invalid_viewing_key` with the reason in `detail`.
   */
  importKey(text: string, network?: Network): ImportedKey
  /** Addresses at `count` diversifier indexes from `from` on. */
  addresses(incoming: Uint8Array, network: Network, from: bigint, count: number): Promise<string[]>
  /**
   * The diversifier index at which the key has this address; of an address that is not the key's, a number that means
   * nothing, below 2^88. Null for what has no Orchard receiver.
   */
  indexOf(incoming: Uint8Array, address: string): bigint | null
  /**
   * The notes that any of the keys sees; pools by height are the caller's rule.
   * All of them, or an error: never fewer.
   */
  open(
    keys: readonly WatchKey[],
    transactions: readonly CompactTransaction[],
    signal?: AbortSignal,
  ): Promise<OpenedNote[]>
  /** A raw transaction in compact form, with its expiry height. Null for what cannot be read as one. */
  compact(raw: Uint8Array): Promise<{ transaction: CompactTransaction; expiryHeight: number } | null>
  close(): Promise<void>
}

export interface ChainRows {
  /**
   * The first statement of every transaction that writes what the chain shows: no two of them run at a time, in any
   * process, so what such a transaction has read stays true until its end. Invoices are locked after it, never before.
   */
  lock(): Promise<void>
  /** The newest header, or null before the first block. */
  tip(): Promise<Header | null>
  headerAt(height: number): Promise<Header | null>
  oldestHeight(): Promise<number | null>
  /** The newest headers, newest first. */
  newest(limit: number): Promise<Header[]>
  /** The lowest header that is not built on the one below it, or that has none below it though it is not the oldest. */
  brokenLink(): Promise<Header | null>
  /** Appends headers in order and forgets those more than HEADERS_KEPT below the newest. */
  append(headers: readonly Header[]): Promise<void>
  removeAbove(height: number): Promise<void>
  /** Notes that blocks above a height are taken back, while the invoices that exist now do. */
  noteRewind(toHeight: number): Promise<void>
  /** All that were noted. */
  rewinds(): Promise<Rewind[]>
  /** Forgets all headers. */
  removeAll(): Promise<void>
  /** The moment up to which chain and mempool are known; 0 before the first complete look. */
  seenThrough(): Promise<number>
  /**
   * Moves on to `unixSecs`. Back only where the stored moment lies ahead of `now`: a clock that was wrong has written it.
   */
  setSeenThrough(unixSecs: number, now: number): Promise<void>
  /** What the chain source lacks at present, and since when (Unix seconds). */
  problems(): Promise<(ChainProblem & { readonly since: number })[]>
  /** Replaces them; one that goes on keeps its `since`. */
  setProblems(problems: readonly ChainProblem[], now: number): Promise<void>
}
