import { DAY_SECS } from '../domain/time.ts'
import type { Clock, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'

/** What is kept for a time only; each function forgets a bounded number and tells whether there may be more. */
export interface Retention {
  pruneIdempotencyKeys(): Promise<boolean>
  pruneEvents(): Promise<boolean>
}

/** Idempotency keys hold for 24 hours; they are kept for twice as long, so that none is forgotten on the edge. */
const KEYS_KEPT_SECS = 2 * DAY_SECS
/** Readers follow events by a cursor that is seconds old; deliveries keep bodies of their own. */
const EVENTS_KEPT_SECS = 30 * DAY_SECS
const PRUNE_AT_ONCE = 1_000

export function createRetention({ store, clock }: { readonly store: Store; readonly clock: Clock }): Retention {
  const before = (secs: number) => nowSecs(clock) - secs
  return {
    async pruneIdempotencyKeys() {
      const pruned = await store.write(rows => rows.idempotency.prune(before(KEYS_KEPT_SECS), PRUNE_AT_ONCE))
      return pruned === PRUNE_AT_ONCE
    },

    async pruneEvents() {
      const pruned = await store.write(rows => rows.events.prune(before(EVENTS_KEPT_SECS), PRUNE_AT_ONCE))
      return pruned === PRUNE_AT_ONCE
    },
  }
}
