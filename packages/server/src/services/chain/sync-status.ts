import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'

export interface SyncStatus {
  /** Height of the newest recorded block; 0 before the first. */
  readonly height: number
  /**
   * The chain was read within the last hour. Shops refuse every sale without it, so a restart or a short fault of the chain
   * source does not change it: invoices can be created, and their payments are seen afterwards.
   */
  readonly isSynchronized: boolean
}

const MAX_AGE_SECS = 3_600

export function createSyncStatus({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  return (): Promise<SyncStatus> =>
    store.read(async tx => {
      const syncedThrough = await tx.chain.syncedThrough()
      const height = (await tx.chain.tip())?.height ?? 0
      return { height, isSynchronized: syncedThrough > 0 && nowSecs(clock) - syncedThrough <= MAX_AGE_SECS }
    })
}
