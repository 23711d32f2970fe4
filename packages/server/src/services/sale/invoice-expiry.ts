import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { checkClock } from '../chain/clock-check.ts'
import { type ReportChanges, type UpdateInvoices, writeInvoices } from './invoice-state.ts'

export interface InvoiceExpiry {
  /** Expires invoices with `expiresAt` up to `syncedThrough`. Returns their number; `limit` means there may be more. */
  expireDue(limit: number): Promise<number>
}

export function createInvoiceExpiry(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
  readonly params: ConsensusParams
}): InvoiceExpiry {
  const { store, updateInvoices, reportChanges, clock, params } = deps
  return {
    async expireDue(limit) {
      const now = nowSecs(clock)
      // By the clock alone: `syncedThrough` and the height decide under the lock.
      if (!(await store.query(tx => tx.invoices.isAnyOverdue(now)))) return 0
      const changes = await writeInvoices(store, async (tx, deferredBy) => {
        // The position of the chain stays valid until the end, also after the wait for the invoices.
        await tx.chain.lock()
        const { tip: newest, agrees } = await checkClock(tx, params, now)
        if (!agrees) return []
        const tip = newest?.height ?? 0
        const syncedThrough = await tx.chain.syncedThrough()
        const due = await tx.invoices.expirable(syncedThrough, tip, limit)
        return updateInvoices(tx, due, now, { tip, syncedThrough, deferredBy })
      })
      reportChanges(changes)
      return changes.length
    },
  }
}
