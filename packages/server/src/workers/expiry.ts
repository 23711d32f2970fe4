import type { Clock, Log } from '../ports.ts'
import type { Payments } from '../services/payment.ts'
import { type Loop, startLoop } from './loop.ts'

const BATCH = 200
const EVERY_MS = 1_000

/** Closes invoices whose time has run out, as far as chain and mempool are seen. */
export function startExpiry({
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
    run: async () => ((await payments.closeDue(BATCH)) === BATCH ? 'again' : 'idle'),
    idleMs: EVERY_MS,
    clock,
    log,
  })
}
