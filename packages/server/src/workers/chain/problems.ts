import { type ChainProblem, type ChainProblemName, describeProblem } from '../../domain/chain-problem.ts'
import type { WatchMeter } from '../../ports/metrics.ts'
import type { Log } from '../../ports.ts'
import type { ChainProblems } from '../../services/chain-problem.ts'

const LEVELS = {
  mempool_unreadable: 'error',
  upgrade_not_followed: 'error',
  not_synced: 'warn',
  estimated_lag: 'warn',
} as const satisfies Record<ChainProblemName, keyof Log>

/**
 * Records, measures and logs each change of what the chain source lacks. What an earlier process recorded is replaced at
 * the first call.
 */
export function createProblemReporter(deps: {
  readonly chainProblems: ChainProblems
  readonly log: Log
  readonly meter: WatchMeter
}): (problems: readonly ChainProblem[]) => Promise<void> {
  const { chainProblems, log, meter } = deps
  let before: readonly ChainProblem[] | null = null

  return async function report(problems) {
    meter.problems(problems)
    const known = before ?? []
    if (before && sameKinds(before, problems)) return
    await chainProblems.record(problems)
    before = problems
    const kinds = new Set(known.map(({ problem }) => problem))
    for (const found of problems)
      if (!kinds.has(found.problem)) log[LEVELS[found.problem]](found, describeProblem(found))
    if (problems.length === 0 && known.length > 0) log.info({}, 'the chain source shows everything again')
  }
}

/** The number of blocks changes all the time: it is measured, and not written again. */
function sameKinds(some: readonly ChainProblem[], others: readonly ChainProblem[]): boolean {
  const kinds = (problems: readonly ChainProblem[]) =>
    problems.map(found => (found.problem === 'upgrade_not_followed' ? found.upgrade : found.problem)).join()
  return kinds(some) === kinds(others)
}
