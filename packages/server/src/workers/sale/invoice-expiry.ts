import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { InvoiceExpiry } from '../../services/sale/invoice-expiry.ts'
import { type Loop, startLoop } from '../loop.ts'

const BATCH = 200
/** The synced-through time advances with each sync, no more often. */
const INTERVAL_MS = 3_000

/** Starts the loop that expires overdue invoices, up to the time to which chain and mempool are synced. */
export function startExpiryLoop({
  invoiceExpiry,
  clock,
  log,
}: {
  readonly invoiceExpiry: InvoiceExpiry
  readonly clock: Clock
  readonly log: Log
}): Loop {
  return startLoop({
    name: 'expiry',
    run: async () => ((await invoiceExpiry.expireDue(BATCH)) === BATCH ? 'again' : 'idle'),
    idleMs: INTERVAL_MS,
    clock,
    log,
  })
}
