import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { type Loop, startLoop } from './loop.ts'

const INTERVAL_MS = 10_000

/**
 * Starts the loop that tries again the rows that are set aside.
 * @param retries each resolves to true if there may be more; a failure does not stop the others
 */
export function startSetAsideLoop(deps: {
  readonly retries: readonly (() => Promise<boolean>)[]
  readonly clock: Clock
  readonly log: Log
}): Loop {
  const { retries, clock, log } = deps
  return startLoop({
    name: 'rows that are set aside',
    async run() {
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
