import { type ChainProblem, type ChainProblemName, describeChainProblem } from '../../domain/chain/chain-problem.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { ChainProblems } from '../../services/chain/chain-problem.ts'

const LEVELS = {
  mempool_unreadable: 'error',
  upgrade_not_followed: 'error',
  not_synced: 'warn',
  estimated_lag: 'warn',
  servers_disagree: 'error',
  server_left_out: 'warn',
  second_server_missing: 'warn',
} as const satisfies Record<ChainProblemName, keyof Log>

/**
 * Creates a function that reports the problems of the chain source: it sets the metrics and records and logs each change.
 * The first call replaces the problems that an earlier process recorded.
 */
export function createProblemReporter(deps: {
  readonly chainProblems: ChainProblems
  readonly log: Log
  readonly metrics: Metrics
}): (problems: readonly ChainProblem[]) => Promise<void> {
  const { chainProblems, log, metrics } = deps
  let lastReported: readonly ChainProblem[] | null = null

  return async function report(problems) {
    metrics.problems(problems)
    const known = lastReported ?? []
    if (lastReported && sameKinds(lastReported, problems)) return
    await chainProblems.record(problems)
    lastReported = problems
    const kinds = new Set(known.map(({ problem }) => problem))
    for (const found of problems)
      if (!kinds.has(found.problem)) log[LEVELS[found.problem]](found, describeChainProblem(found))
    if (problems.length === 0 && known.length > 0) log.info({}, 'the chain source has no problems any more')
  }
}

/** Compares without the block counts: these change constantly and only update the metrics. */
function sameKinds(a: readonly ChainProblem[], b: readonly ChainProblem[]): boolean {
  const kinds = (problems: readonly ChainProblem[]) =>
    problems.map(found => (found.problem === 'upgrade_not_followed' ? found.upgrade : found.problem)).join()
  return kinds(a) === kinds(b)
}
