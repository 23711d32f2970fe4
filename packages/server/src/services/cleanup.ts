import { DAY_SECS } from '../domain/time.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { IDEMPOTENCY_RETENTION_SECS } from './idempotency.ts'

/** Deletes expired data. Each function deletes a bounded number of rows and returns whether there may be more. */
export interface Retention {
  pruneIdempotencyKeys(): Promise<boolean>
  pruneEvents(): Promise<boolean>
}

/** Idempotency keys are kept for twice as long as they are valid, as a safety margin. */
const KEYS_KEPT_SECS = 2 * IDEMPOTENCY_RETENTION_SECS
/** Event cursors are only seconds old, and deliveries store their own bodies. */
const EVENTS_KEPT_SECS = 30 * DAY_SECS
const PRUNE_BATCH = 1_000

export function createRetention({ store, clock }: { readonly store: Store; readonly clock: Clock }): Retention {
  const before = (secs: number) => nowSecs(clock) - secs
  return {
    async pruneIdempotencyKeys() {
      const pruned = await store.write(tx => tx.idempotency.prune(before(KEYS_KEPT_SECS), PRUNE_BATCH))
      return pruned === PRUNE_BATCH
    },

    async pruneEvents() {
      const pruned = await store.write(tx => tx.events.prune(before(EVENTS_KEPT_SECS), PRUNE_BATCH))
      return pruned === PRUNE_BATCH
    },
  }
}
