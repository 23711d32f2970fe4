import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Payments } from '../services/payment.ts'
import { type Loop, startLoop } from './loop.ts'

const BATCH = 200
const INTERVAL_MS = 1_000

/** Starts the loop that expires overdue invoices, up to the time to which chain and mempool are synced. */
export function startExpiryLoop({
  payments,
  clock,
  log,
}: {
  readonly payments: Payments
  readonly clock: Clock
  readonly log: Log
}): Loop {
  return startLoop({
    name: 'expiry',
    run: async () => ((await payments.expireDue(BATCH)) === BATCH ? 'again' : 'idle'),
    idleMs: INTERVAL_MS,
    clock,
    log,
  })
}
