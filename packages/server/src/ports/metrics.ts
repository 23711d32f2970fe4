import type { ChainProblem } from '../domain/chain-problem.ts'

/** Metrics of the chain sync. */
export interface ChainSyncMetrics {
  /** Sets the height of the newest recorded block. */
  tip(height: number): void
  /** Sets the number of blocks that the server has and that are not recorded yet. */
  lag(blocks: number): void
  /** Sets when the last complete sync of chain and mempool began, in Unix seconds. */
  syncedThrough(unixSecs: number): void
  /** Sets whether the server's newest block is older than 20 expected intervals. No invoice expires meanwhile. */
  stalled(stalled: boolean): void
  /** Sets the seconds between clock and median block time when they are hours apart, else 0. Negative: behind. */
  clockSkew(secs: number): void
  /** Sets the present problems of the chain source. */
  problems(problems: readonly ChainProblem[]): void
  /** Counts a reorganisation of `depth` blocks. */
  reorg(depth: number): void
  /** Changes the number of paid invoices that need attention because their payments were reorged. */
  needsAttention(change: number): void
}

/** Discards all measurements. */
export const NO_CHAIN_SYNC_METRICS: ChainSyncMetrics = {
  tip: () => {},
  lag: () => {},
  syncedThrough: () => {},
  stalled: () => {},
  clockSkew: () => {},
  problems: () => {},
  reorg: () => {},
  needsAttention: () => {},
}

/** Metrics of webhook delivery. */
export interface DeliveryMetrics {
  /** Counts a finished attempt. `success` is a 2xx response in time. */
  attemptEnded(outcome: 'success' | 'failure'): void
  /** Sets the number of attempts in flight in this process. */
  setInFlight(attempts: number): void
}
