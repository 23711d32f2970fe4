import type { Clock, Log, Store } from '../ports.ts'
import type { Billing } from '../services/billing.ts'
import type { Payouts } from '../services/payout.ts'
import { type Loop, startLoop } from './loop.ts'

const BATCH = 100
/** Payouts wait for a provider outside, one after the other. */
const PAYOUT_BATCH = 5
const IDLE_MS = 5_000

/** The clock's part in billing: plans that end, mails before they do, orders to pay out. */
export function startBilling(deps: {
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
      const lapsed = await billing.lapseDue(BATCH)
      const announced = await billing.announceDue(BATCH)
      const paid = await payouts.payDue(PAYOUT_BATCH)
      return lapsed === BATCH || announced === BATCH || paid === PAYOUT_BATCH ? 'again' : 'idle'
    },
    idleMs: IDLE_MS,
    clock,
    log,
    wakeOn: wake => store.listen('payouts', wake),
  })
}
