import type { ChainProblem } from '../domain/chain-problem.ts'
import type { WatchMeter } from '../ports/watch-meter.ts'
import type { Log } from '../ports.ts'
import type { ChainProblems } from '../services/chain-problem.ts'

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
    for (const found of problems) if (!kinds.has(found.problem)) logProblem(log, found)
    if (problems.length === 0 && known.length > 0) log.info({}, 'the chain source shows everything again')
  }
}

/** The number of blocks changes all the time: it is measured, and not written again. */
function sameKinds(some: readonly ChainProblem[], others: readonly ChainProblem[]): boolean {
  const kinds = (problems: readonly ChainProblem[]) =>
    problems.map(found => (found.problem === 'upgrade_not_followed' ? found.upgrade : found.problem)).join()
  return kinds(some) === kinds(others)
}

function logProblem(log: Log, found: ChainProblem): void {
  if (found.problem === 'mempool_unreadable') {
    log.error({}, 'the mempool cannot be read: payments show when they are mined, and no invoice expires')
  } else if (found.problem === 'upgrade_not_followed') {
    const { upgrade } = found
    log.error(
      { upgrade },
      `the chain source does not follow ${upgrade}: no block after it is read, and no invoice expires`,
    )
  } else if (found.problem === 'not_synced') {
    log.warn({ blocks: found.blocks }, 'the chain server is behind its node: no invoice expires until it has caught up')
  } else {
    log.warn(
      { blocks: found.blocks },
      'the node of the chain server may still be syncing: it guesses to be blocks behind',
    )
  }
}
