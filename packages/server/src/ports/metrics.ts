import type { ChainProblem } from '../domain/chain-problem.ts'

/** What the watcher measures of itself; main makes gauges and counters of it. */
export interface WatchMeter {
  /** Height of the newest block recorded. */
  tip(height: number): void
  /** Blocks that the server has and we have not recorded yet. */
  lag(blocks: number): void
  /** Unix seconds when the last complete look at chain and mempool began. */
  seenThrough(unixSecs: number): void
  /** Whether the server's newest block is older than 20 expected intervals, so that no invoice closes meanwhile. */
  stalled(stalled: boolean): void
  /** Seconds that the clock is ahead of the chain's median time, where they are hours apart; below 0: behind. Else 0. */
  clockApart(secs: number): void
  /** What the chain source lacks at present. */
  problems(problems: readonly ChainProblem[]): void
  /** A reorganisation that took back so many blocks. */
  reorg(depth: number): void
  /** So many paid invoices now need attention, their payments taken back (+), or no longer (−). */
  needsAttention(change: number): void
}

export const NO_WATCH_METER: WatchMeter = {
  tip: () => {},
  lag: () => {},
  seenThrough: () => {},
  stalled: () => {},
  clockApart: () => {},
  problems: () => {},
  reorg: () => {},
  needsAttention: () => {},
}
