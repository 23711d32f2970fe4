import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Store } from '../../ports/store.ts'
import type { SwapStatusPoller } from '../../services/sale/swap-status.ts'
import { type Loop, startLoop } from '../loop.ts'

/** Concurrent status polls. */
const BATCH = 16
/** Polls of a swap are seconds apart, so a delay of up to a second is acceptable. */
const IDLE_MS = 1_000

/** Starts the loop that polls the status of each swap until it is final or long past its deadline. */
export function startSwapPolling(deps: {
  readonly store: Pick<Store, 'listen'>
  readonly poller: SwapStatusPoller
  readonly clock: Clock
  readonly log: Log
}): Loop {
  const { store, poller, clock, log } = deps
  return startLoop({
    name: 'swaps',
    run: async signal => ((await poller.pollDue(BATCH, signal)) === BATCH ? 'again' : 'idle'),
    idleMs: IDLE_MS,
    clock,
    log,
    subscribe: notified => store.listen('swaps', notified),
  })
}
