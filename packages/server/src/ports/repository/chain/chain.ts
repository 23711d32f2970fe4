import type { Header } from '../../../domain/chain/chain.ts'
import type { ChainProblem } from '../../../domain/chain/chain-problem.ts'
import type { Rewind } from '../../../domain/sale/payment.ts'

/** The recorded chain: recent headers, rewinds, the synced time, and problems of the chain source. */
export interface ChainRepository {
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
  newestHeaders(limit: number): Promise<Header[]>
  /** The lowest header, except the oldest, whose predecessor is missing or has another hash. Null when all are linked. */
  firstUnlinkedHeader(): Promise<Header | null>
  /** Appends headers in order and deletes those more than HEADERS_KEPT below the newest. */
  appendHeaders(headers: readonly Header[]): Promise<void>
  /** Removes headers, and lowers the witnessed height to `height`. */
  removeHeadersAbove(height: number): Promise<void>
  /** Records that the blocks above a height were removed, together with the newest invoice id at this moment. */
  recordRewind(toHeight: number): Promise<void>
  /** All recorded rewinds. */
  rewinds(): Promise<Rewind[]>
  /** Deletes all headers. */
  removeAllHeaders(): Promise<void>
  /** The time up to which chain and mempool are completely known, in Unix seconds; 0 before the first complete sync. */
  syncedThrough(): Promise<number>
  /**
   * Sets the time up to which chain and mempool are known. It moves back only when the stored time is after `now`, which
   * means that a wrong clock wrote it.
   */
  setSyncedThrough(unixSecs: number, now: number): Promise<void>
  /** The height up to which a second server agrees; null: no second server is required. */
  witnessedHeight(): Promise<number | null>
  setWitnessedHeight(height: number | null): Promise<void>
  /** The headers above `height`, lowest first. */
  headersAbove(height: number, limit: number): Promise<Header[]>
  /** The present problems of the chain source, and since when (Unix seconds). */
  problems(): Promise<(ChainProblem & { readonly since: number })[]>
  /** Replaces the problems. A problem that persists keeps its `since`. */
  setProblems(problems: readonly ChainProblem[], now: number): Promise<void>
}
