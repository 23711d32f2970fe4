import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Store } from '../../ports/store.ts'
import type { SwapStatusPoller } from '../../services/sale/swap-status.ts'
import { type Loop, startLoop } from '../loop.ts'

/** Concurrent status polls. */
const BATCH = 16
/** Fallback for notifications that were missed. */
const IDLE_MS = 5_000
/** After due swaps that could not be claimed: they are set aside, or another process polls them. */
const RETRY_MS = 1_000

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
    async run(signal) {
      const nextPollAtMs = await poller.nextPollAtMs()
      if (nextPollAtMs === null) return 'idle'
      const pauseMs = nextPollAtMs - clock.nowMs()
      if (pauseMs > 0) return { pauseMs }
      return (await poller.pollDue(BATCH, signal)) > 0 ? 'again' : { pauseMs: RETRY_MS }
    },
    idleMs: IDLE_MS,
    clock,
    log,
    subscribe: notified => store.listen('swaps', notified),
  })
}
