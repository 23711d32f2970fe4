import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { Billing } from '../services/billing.ts'
import type { Payouts } from '../services/payout.ts'
import { type Loop, startLoop } from './loop.ts'

const BATCH = 100
/** Payouts call an external provider one after the other. */
const PAYOUT_BATCH = 5
const IDLE_MS = 5_000

/** Starts the loop that expires plans, sends renewal reminders and pays out withdrawals. */
export function startBillingLoop(deps: {
  readonly billing: Billing
  readonly payouts: Payouts
  readonly store: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly log: Log
}): Loop {
  const { billing, payouts, store, clock, log } = deps
  return startLoop({
    name: 'billing',
    async run() {
      const expired = await billing.expirePlans(BATCH)
      const reminded = await billing.sendRenewalReminders(BATCH)
      const paid = await payouts.payDue(PAYOUT_BATCH)
      return expired === BATCH || reminded === BATCH || paid === PAYOUT_BATCH ? 'again' : 'idle'
    },
    idleMs: IDLE_MS,
    clock,
    log,
    subscribe: notified => store.listen('payouts', notified),
  })
}
