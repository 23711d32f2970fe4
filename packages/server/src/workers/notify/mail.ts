import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Store } from '../../ports/store.ts'
import type { Mails } from '../../services/notify/mail.ts'
import type { SetAsides } from '../../services/set-aside.ts'
import { startLoop } from '../loop.ts'
import { startSetAsideLoop } from '../set-aside.ts'

const CODE_BATCH = 8
/** Fewer than the mailer's connections, so that notices which the mail server delays leave some for codes. */
const NOTICE_BATCH = 2
const IDLE_MS = 10_000

/**
 * Starts the loops that send queued mails, on each database notification of a new mail and at least every IDLE_MS. Codes
 * have their own loop: they do not wait for other mails, sent or failing.
 */
export function startMailLoops(deps: {
  readonly store: Store
  readonly mails: Mails
  readonly setAsides: Pick<SetAsides, 'makeAllDue' | 'isAnyDue'>
  readonly clock: Clock
  readonly log: Log
}): { stop(): Promise<void> } {
  const { store, mails, setAsides, clock, log } = deps
  const start = (name: string, send: (limit: number) => Promise<number>, batch: number) =>
    startLoop({
      name,
      run: async () => ((await send(batch)) === batch ? 'again' : 'idle'),
      idleMs: IDLE_MS,
      clock,
      log,
      subscribe: notified => store.listen('mails', notified),
    })
  const loops = [
    start('code mail', mails.sendCodes, CODE_BATCH),
    start('mail', mails.sendNotices, NOTICE_BATCH),
    startSetAsideLoop({ setAsides, retries: [mails.retrySetAside], clock, log }),
  ]
  return {
    async stop() {
      await Promise.all(loops.map(loop => loop.stop()))
    },
  }
}
