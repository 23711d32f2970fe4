import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { SetAsides } from '../services/set-aside.ts'
import { type Loop, startLoop } from './loop.ts'

const INTERVAL_MS = 10_000

/**
 * Starts the loop that tries again the rows that are set aside: all of them at the start, since it may be a repair.
 * @param retries each resolves to true if there may be more; a failure does not stop the others
 */
export function startSetAsideLoop(deps: {
  readonly setAsides: Pick<SetAsides, 'makeAllDue' | 'isAnyDue'>
  readonly retries: readonly (() => Promise<boolean>)[]
  readonly clock: Clock
  readonly log: Log
}): Loop {
  const { setAsides, retries, clock, log } = deps
  let isFirst = true
  return startLoop({
    name: 'rows that are set aside',
    async run() {
      if (isFirst) await setAsides.makeAllDue()
      isFirst = false
      if (!(await setAsides.isAnyDue())) return 'idle'
      const outcomes = await Promise.allSettled(retries.map(retry => retry()))
      const failures = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
      if (failures.length > 0) throw new AggregateError(failures, 'rows could not be tried again')
      return outcomes.some(outcome => outcome.status === 'fulfilled' && outcome.value) ? 'again' : 'idle'
    },
    idleMs: INTERVAL_MS,
    clock,
    log,
  })
}
