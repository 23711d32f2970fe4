import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { Billing } from '../services/billing.ts'
import type { Payouts } from '../services/payout.ts'
import { type LoopOptions, startLoop } from './loop.ts'

const BATCH = 100
/** Payouts call an external provider one after the other. */
const PAYOUT_BATCH = 5
const IDLE_MS = 5_000

/**
 * Starts the loops that expire plans, send renewal reminders and pay out withdrawals. They have nothing in common, so a
 * failure of one does not delay the others.
 */
export function startBillingLoops(deps: {
  readonly billing: Billing
  readonly payouts: Payouts
  readonly store: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly log: Log
}): { stop(): Promise<void> } {
  const { billing, payouts, store, clock, log } = deps
  const start = (
    name: string,
    {
      batch,
      run,
      ...options
    }: { batch: number; run: (limit: number) => Promise<number> } & Pick<LoopOptions, 'subscribe'>,
  ) =>
    startLoop({
      name,
      run: async () => ((await run(batch)) === batch ? 'again' : 'idle'),
      idleMs: IDLE_MS,
      clock,
      log,
      ...options,
    })
  const subscribe = (notified: () => void) => store.listen('payouts', notified)
  const loops = [
    start('plans', { batch: BATCH, run: billing.expirePlans }),
    start('renewal reminders', { batch: BATCH, run: billing.sendRenewalReminders }),
    start('payouts', { batch: PAYOUT_BATCH, run: payouts.payDue, subscribe }),
  ]
  return {
    async stop() {
      await Promise.all(loops.map(loop => loop.stop()))
    },
  }
}
