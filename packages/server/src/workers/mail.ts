import type { Clock, Log, Store } from '../ports.ts'
import type { Mails } from '../services/mail.ts'
import { type Loop, startLoop } from './loop.ts'

const BATCH = 8
const IDLE_MS = 10_000

/** Sends what is in the outbox: at once when this database tells of a new mail, else by the clock. */
export function startMailing(deps: {
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
    wakeOn: wake => store.listen('mails', wake),
  })
}
