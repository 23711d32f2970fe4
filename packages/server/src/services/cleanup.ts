import { maxWatchSecs } from '../domain/chain/watched-key.ts'
import { DELIVERY_RETENTION_SECS } from '../domain/notify/delivery.ts'
import { ABANDONED_RETENTION_SECS } from '../domain/sale/swap.ts'
import { DAY_SECS } from '../domain/time.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store, Tx } from '../ports/store.ts'
import { IDEMPOTENCY_RETENTION_SECS } from './idempotency.ts'
import { passBadRows } from './set-aside.ts'

/** Deletes expired data. Each function deletes a bounded number of rows and returns whether there may be more. */
export interface Cleanup {
  pruneIdempotencyKeys(): Promise<boolean>
  /** Deletes events that are no longer kept, with their deliveries. */
  pruneEvents(): Promise<boolean>
  pruneInvoiceChanges(): Promise<boolean>
  /** Deletes what is left of endpoints that were removed 90 days ago. */
  pruneEndpoints(): Promise<boolean>
  /** Deletes finished deliveries older than 30 days, with their attempts. */
  pruneDeliveries(): Promise<boolean>
  /** Deletes counted swap starts of earlier days. */
  pruneSwapStarts(): Promise<boolean>
  /** Deletes swaps without a deposit 45 days after their start. */
  pruneAbandonedSwaps(): Promise<boolean>
  /** Deletes sessions 90 days after they expired. */
  pruneSessions(): Promise<boolean>
  /** Deletes API keys 90 days after they were revoked. */
  pruneRevokedApiKeys(): Promise<boolean>
  /** Deletes API keys 90 days after they ended. */
  pruneEndedApiKeys(): Promise<boolean>
  /** Deletes viewing keys that no account uses for new invoices, 90 days after their last invoice could be paid. */
  pruneViewingKeys(): Promise<boolean>
  /** Deletes changes of emails that cannot be undone any more. */
  pruneEmailChanges(): Promise<boolean>
  /** Deletes old entries of the audit log. */
  pruneAuditLog(): Promise<boolean>
  /** Deletes payments that were dropped, 30 days after the late window of their invoice has ended. */
  pruneDroppedPayments(): Promise<boolean>
}

/** Idempotency keys are kept for twice as long as they are valid, as a safety margin. */
const KEYS_KEPT_SECS = 2 * IDEMPOTENCY_RETENTION_SECS
/** The cursors of WebSockets are only seconds old. */
const CHANGES_KEPT_SECS = DAY_SECS
/** The owner can see for this long which keys were revoked or ended, and the operator can read the chain again for old keys. */
const CREDENTIALS_KEPT_SECS = 90 * DAY_SECS
const DROPPED_KEPT_SECS = 30 * DAY_SECS
const PRUNE_BATCH = 1_000
/** Each delivery may have several attempts, and each event several deliveries. */
const DELIVERY_PRUNE_BATCH = 500
const EVENT_PRUNE_BATCH = 500
/** Their invoices are locked meanwhile. */
const SWAP_PRUNE_BATCH = 200

export function createCleanup(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly auditRetentionDays: number
  readonly eventRetentionDays: number
  readonly lateWatchDays: number
  readonly log: Log
}): Cleanup {
  const { store, clock, auditRetentionDays, eventRetentionDays, lateWatchDays, log } = deps

  async function prune(
    repositoryOf: (tx: Tx) => { prune(before: number, limit: number, skip: number): Promise<number> },
    keptSecs: number,
    limit: number,
  ): Promise<boolean> {
    const before = nowSecs(clock) - keptSecs
    return pruneBatch(limit, (tx, size, skip) => repositoryOf(tx).prune(before, size, skip))
  }

  /** @param work see `passBadRows`. The rows that cannot be deleted are tried again in each run. */
  function pruneBatch(limit: number, work: (tx: Tx, size: number, skip: number) => Promise<number>): Promise<boolean> {
    const onBad = (error: unknown) => log.error({ err: error }, 'a row that is too old cannot be deleted; others are')
    return passBadRows({ page: limit, limit, onBad }, (size, skip) => store.write(tx => work(tx, size, skip)))
  }

  return {
    pruneIdempotencyKeys: () => prune(tx => tx.idempotency, KEYS_KEPT_SECS, PRUNE_BATCH),
    pruneEvents: () => prune(tx => tx.events, eventRetentionDays * DAY_SECS, EVENT_PRUNE_BATCH),
    pruneInvoiceChanges: () => prune(tx => tx.invoiceChanges, CHANGES_KEPT_SECS, PRUNE_BATCH),
    pruneEndpoints: () => prune(tx => tx.endpoints, CREDENTIALS_KEPT_SECS, PRUNE_BATCH),
    pruneDeliveries: () => prune(tx => tx.deliveries, DELIVERY_RETENTION_SECS, DELIVERY_PRUNE_BATCH),
    pruneSwapStarts: () => prune(tx => tx.swaps, DAY_SECS, PRUNE_BATCH),
    pruneSessions: () => prune(tx => tx.sessions, CREDENTIALS_KEPT_SECS, PRUNE_BATCH),
    pruneRevokedApiKeys: () => prune(tx => tx.apiKeys, CREDENTIALS_KEPT_SECS, PRUNE_BATCH),
    pruneEndedApiKeys: () => prune(tx => ({ prune: tx.apiKeys.pruneEnded }), CREDENTIALS_KEPT_SECS, PRUNE_BATCH),
    pruneViewingKeys: () => prune(tx => tx.viewingKeys, CREDENTIALS_KEPT_SECS, PRUNE_BATCH),
    pruneEmailChanges: () => prune(tx => tx.emailChanges, 0, PRUNE_BATCH),
    pruneAuditLog: () => prune(tx => tx.audit, auditRetentionDays * DAY_SECS, PRUNE_BATCH),

    async pruneAbandonedSwaps() {
      const before = nowSecs(clock) - ABANDONED_RETENTION_SECS
      return pruneBatch(SWAP_PRUNE_BATCH, async (tx, size, skip) => {
        const swaps = await tx.swaps.listAbandoned(before, size, skip)
        if (swaps.length === 0) return 0
        await tx.invoices.lock(swaps.map(({ invoiceId }) => invoiceId))
        await tx.swaps.deleteAbandoned(swaps)
        return swaps.length
      })
    },

    async pruneDroppedPayments() {
      const watchedBefore = nowSecs(clock) - DROPPED_KEPT_SECS
      // A payment is seen while its invoice is watched, so that those with an earlier time are all old enough.
      const seenBefore = watchedBefore - maxWatchSecs(lateWatchDays)
      const before = { seenBefore, watchedBefore }
      return pruneBatch(PRUNE_BATCH, (tx, size, skip) => tx.payments.pruneDropped(before, size, skip))
    },
  }
}
