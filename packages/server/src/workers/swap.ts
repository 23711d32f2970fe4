import type { Clock, Log, Store } from '../ports.ts'
import type { SwapLooks } from '../services/swap-status.ts'
import { type Loop, startLoop } from './loop.ts'

/** Looks under way at a time. */
const BATCH = 16
/** Looks are seconds apart: a second more or less does not matter. */
const IDLE_MS = 1_000

/** Looks after swaps until each is settled or long past its time. */
export function startSwapWatch(deps: {
  readonly store: Pick<Store, 'listen'>
  readonly looks: SwapLooks
  readonly clock: Clock
  readonly log: Log
}): Loop {
  const { store, looks, clock, log } = deps
  return startLoop({
    name: 'swaps',
    run: async signal => ((await looks.lookAtDue(BATCH, signal)) === BATCH ? 'again' : 'idle'),
    idleMs: IDLE_MS,
    clock,
    log,
    wakeOn: wake => store.listen('swaps', wake),
  })
}
