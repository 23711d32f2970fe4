import type { Header } from './chain.ts'
import { blockSpacingSecs, type ConsensusParams } from './network-upgrade.ts'

/** Number of newest blocks in the median time, as in consensus (median time past). */
export const MEDIAN_BLOCKS = 11

/** A tip older than this number of expected block intervals means a stalled server, or a clock that is ahead. */
const STALLED_INTERVALS = 20

/** The median is half of its blocks behind the true time, and a network can be without a block for an hour. */
const MAX_CLOCK_AHEAD_SECS = 2 * 3_600

/** The median time past is ahead of the true time by at most the error of the miners' clocks. */
const MAX_CLOCK_BEHIND_SECS = 15 * 60

type Timed = Pick<Header, 'height' | 'time'>

/**
 * The comparison of the clock with the block times.
 *
 * - `unknown`: no block is recorded yet.
 * - `clock_ahead`, `clock_behind`: clock and chain differ by hours. Nothing that depends on the time may be decided.
 * - `stalled`: the newest block is older than 20 expected intervals, so the server's data may be outdated.
 */
export type ChainTime =
  | { readonly state: 'ok' }
  | { readonly state: 'unknown' }
  | { readonly state: 'clock_ahead' | 'clock_behind'; readonly bySecs: number }
  | { readonly state: 'stalled'; readonly ageSecs: number }

/**
 * Compares the clock with the newest blocks. Always `ok` on a regtest, whose block times are arbitrary (Zebra's start in
 * 2011).
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

/** Whether clock and chain agree to within hours. Only then may the clock expire invoices and end plans. */
export function clockAgreesWithChain({ state }: ChainTime): boolean {
  return state === 'ok' || state === 'stalled'
}

/** The true time lies between both, in Unix seconds. */
export interface TimeBounds {
  readonly earliest: number
  readonly latest: number
}

/**
 * The bounds of the present time: the clock and the newest block, since either may be wrong when they differ by hours;
 * else both are the clock.
 */
export function timeBounds(time: ChainTime, tip: Timed | undefined, now: number): TimeBounds {
  if (!tip || clockAgreesWithChain(time)) return { earliest: now, latest: now }
  return { earliest: Math.min(now, tip.time), latest: Math.max(now, tip.time) }
}

function medianTime(headers: readonly Timed[]): number {
  const times = headers.map(({ time }) => time).sort((a, b) => a - b)
  return times[Math.floor(times.length / 2)]!
}
