import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { Mails } from '../services/mail.ts'
import { type Loop, startLoop } from './loop.ts'

const BATCH = 8
const IDLE_MS = 10_000

/** Starts the loop that sends queued mails: on each database notification of a new mail, and at least every IDLE_MS. */
export function startMailLoop(deps: {
  readonly store: Store
  readonly mails: Mails
  readonly clock: Clock
  readonly log: Log
}): Loop {
  const { store, mails, clock, log } = deps
  return startLoop({
    name: 'mail',
    run: async () => ((await mails.sendDue(BATCH)) === BATCH ? 'again' : 'idle'),
    idleMs: IDLE_MS,
    clock,
    log,
    subscribe: notified => store.listen('mails', notified),
  })
}
