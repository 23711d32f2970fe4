import type { Header } from './chain.ts'
import { blockSpacingSecs, type ConsensusParams } from './network-upgrade.ts'

/** How many of the newest blocks the median time is taken from, as in consensus (median time past). */
export const MEDIAN_BLOCKS = 11

/** A tip older than so many expected block intervals says that the server has stalled, or that the clock is ahead. */
const STALLED_INTERVALS = 20

/** The median lies behind the true time by half of its blocks, and a network can be without a block for an hour. */
const MAX_CLOCK_AHEAD_SECS = 2 * 3_600

/** The median time past is never ahead of the true time by more than miners' clocks are wrong. */
const MAX_CLOCK_BEHIND_SECS = 15 * 60

type Timed = Pick<Header, 'height' | 'time'>

/**
 * What the block times say of our clock and of the server.
 *
 * - `unknown`: no block is recorded yet.
 * - `clock_ahead`, `clock_behind`: clock and chain are apart by hours. Nothing that depends on the time may be decided.
 * - `stalled`: the newest block is older than 20 expected intervals. What the server shows may be as old.
 */
export type ChainTime =
  | { readonly state: 'ok' }
  | { readonly state: 'unknown' }
  | { readonly state: 'clock_ahead' | 'clock_behind'; readonly bySecs: number }
  | { readonly state: 'stalled'; readonly ageSecs: number }

/**
 * Compares the clock with the newest blocks. On a regtest the times mean nothing (Zebra's begin in 2011): always `ok`.
 *
 * @param newest the newest headers, up to `MEDIAN_BLOCKS`, newest first
 * @param now Unix seconds
 */
export function chainTime(params: ConsensusParams, newest: readonly Timed[], now: number): ChainTime {
  if (params.network === 'regtest') return { state: 'ok' }
  const [tip] = newest
  if (!tip) return { state: 'unknown' }
  const ahead = now - medianTime(newest)
  if (ahead > MAX_CLOCK_AHEAD_SECS) return { state: 'clock_ahead', bySecs: ahead }
  if (-ahead > MAX_CLOCK_BEHIND_SECS) return { state: 'clock_behind', bySecs: -ahead }
  const ageSecs = now - tip.time
  if (ageSecs > STALLED_INTERVALS * blockSpacingSecs(params, tip.height)) return { state: 'stalled', ageSecs }
  return { state: 'ok' }
}

/** Whether the clock may close invoices and end plans: it agrees with the chain to within hours. */
export function clockAgrees({ state }: ChainTime): boolean {
  return state === 'ok' || state === 'stalled'
}

function medianTime(headers: readonly Timed[]): number {
  const times = headers.map(({ time }) => time).sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)]!
}
