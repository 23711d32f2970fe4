import type { UnusedAddresses, UnusedAddressKeeper } from '@zatgate/server/ports/unused-address'
import type { Scheduler } from '../runtime/scheduler.ts'

/** The memory of the machine: it outlives processes, and does not go back with the database. */
export function createUnusedAddresses(scheduler: Scheduler): UnusedAddressKeeper {
  let kept: UnusedAddresses[] = []
  return {
    async keep(unused) {
      await scheduler.yield()
      kept.push(...unused)
    },

    async take() {
      const taken = kept
      kept = []
      await scheduler.yield()
      return taken
    },
  }
}
