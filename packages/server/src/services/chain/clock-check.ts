import type { Header } from '../../domain/chain/chain.ts'
import {
  type ChainTime,
  chainTime,
  clockAgreesWithChain,
  MEDIAN_BLOCKS,
  type TimeBounds,
  timeBounds,
} from '../../domain/chain/clock-agreement.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import type { Tx } from '../../ports/store.ts'

/** The clock compared with the newest recorded blocks. */
export interface ClockCheck {
  /** The newest recorded block; undefined before the first. */
  readonly tip: Header | undefined
  readonly chainTime: ChainTime
  /** Whether the clock may expire invoices and end plans. */
  readonly agrees: boolean
  /** Unix seconds, between which the true time lies. */
  readonly bounds: TimeBounds
}

/** Compares the clock with the newest recorded blocks. @param now the clock, in Unix seconds */
export async function checkClock(tx: Pick<Tx, 'chain'>, params: ConsensusParams, now: number): Promise<ClockCheck> {
  const newest = await tx.chain.newestHeaders(MEDIAN_BLOCKS)
  const time = chainTime(params, newest, now)
  return {
    tip: newest[0],
    chainTime: time,
    agrees: clockAgreesWithChain(time),
    bounds: timeBounds(time, newest[0], now),
  }
}
