import { chainTime, clockAgreesWithChain, MEDIAN_BLOCKS } from '../domain/chain-time.ts'
import type { ConsensusParams } from '../domain/network-upgrade.ts'
import type { Tx } from '../ports/store.ts'

/**
 * The time for decisions that cannot wait for a right clock: `now`, or the time of the newest recorded block while both
 * differ by hours. Unix seconds.
 */
export async function trustedTime(tx: Pick<Tx, 'chain'>, params: ConsensusParams, now: number): Promise<number> {
  const newest = await tx.chain.newestHeaders(MEDIAN_BLOCKS)
  const [tip] = newest
  return !tip || clockAgreesWithChain(chainTime(params, newest, now)) ? now : tip.time
}
