import type { Clock, Log } from '../ports.ts'
import { type Loop, startLoop } from './loop.ts'

/** Forgets a bounded part of what is old; true: there may be more. */
export type Prune = () => Promise<boolean>

const EVERY_MS = 600_000

/** Has everything that grows pruned, again and again. One task that fails does not keep the others from theirs. */
export function startUpkeep({
  tasks,
  clock,
  log,
}: {
  readonly tasks: readonly Prune[]
  readonly clock: Clock
  readonly log: Log
}): Loop {
  return startLoop({
    name: 'upkeep',
    async run(signal) {
      const failures: unknown[] = []
      let more = false
      for (const prune of tasks) {
        if (signal.aborted) break
        try {
          more = (await prune()) || more
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'upkeep failed')
      return more ? 'again' : 'idle'
    },
    idleMs: EVERY_MS,
    clock,
    log,
  })
}
