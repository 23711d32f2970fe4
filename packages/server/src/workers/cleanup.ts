import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { type Loop, startLoop } from './loop.ts'

/** Deletes a bounded amount of old data. Resolves to true if there may be more. */
export type CleanupTask = () => Promise<boolean>

const INTERVAL_MS = 600_000

/** Starts the loop that runs the cleanup tasks. A failed task does not stop the others. */
export function startCleanup({
  tasks,
  clock,
  log,
}: {
  readonly tasks: readonly CleanupTask[]
  readonly clock: Clock
  readonly log: Log
}): Loop {
  return startLoop({
    name: 'cleanup',
    async run(signal) {
      const failures: unknown[] = []
      let more = false
      for (const task of tasks) {
        if (signal.aborted) break
        try {
          more = (await task()) || more
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'cleanup failed')
      return more ? 'again' : 'idle'
    },
    idleMs: INTERVAL_MS,
    clock,
    log,
  })
}
