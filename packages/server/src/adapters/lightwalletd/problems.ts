import type { ChainProblem } from '../../domain/chain/chain-problem.ts'
import type { ServerSession } from './server-session.ts'

/** Consecutive failures after which `mempool_unreadable` is reported. */
const MAX_MEMPOOL_FAILURES = 3

/** The problems of the server in use. @param upgrade the upgrade that it does not follow */
export function sessionProblems(session: ServerSession, upgrade: string | undefined): ChainProblem[] {
  const { mempoolFailures, streamFailures, blocksBehindNode, estimatedLag } = session
  const found = upgradeProblem(upgrade)
  if (Math.max(mempoolFailures, streamFailures) >= MAX_MEMPOOL_FAILURES)
    found.unshift({ problem: 'mempool_unreadable' })
  if (blocksBehindNode > 0) found.push({ problem: 'not_synced', blocks: blocksBehindNode })
  if (estimatedLag > 0) found.push({ problem: 'estimated_lag', blocks: estimatedLag })
  return found
}

/** The problem that all servers share while none is in use. @param upgrades by server in order of use: not followed */
export function sharedProblems(upgrades: readonly (string | undefined)[]): ChainProblem[] {
  return upgrades.every(upgrade => upgrade !== undefined) ? upgradeProblem(upgrades[0]) : []
}

function upgradeProblem(upgrade: string | undefined): ChainProblem[] {
  return upgrade === undefined ? [] : [{ problem: 'upgrade_not_followed', upgrade }]
}
