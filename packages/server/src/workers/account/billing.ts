import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Billing } from '../../services/account/billing.ts'
import { startLoop } from '../loop.ts'

const BATCH = 100
const IDLE_MS = 5_000

/** Starts the loops that expire plans and send renewal reminders. A failure of one does not delay the other. */
export function startBillingLoops(deps: { readonly billing: Billing; readonly clock: Clock; readonly log: Log }): {
  stop(): Promise<void>
} {
  const { billing, clock, log } = deps
  const start = (name: string, work: (limit: number) => Promise<number>) =>
    startLoop({
      name,
      run: async () => ((await work(BATCH)) === BATCH ? 'again' : 'idle'),
      idleMs: IDLE_MS,
      clock,
      log,
    })
  const loops = [start('plans', billing.expirePlans), start('renewal reminders', billing.sendRenewalReminders)]
  return {
    async stop() {
      await Promise.all(loops.map(loop => loop.stop()))
    },
  }
}
