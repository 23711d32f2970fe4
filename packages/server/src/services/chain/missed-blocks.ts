import type { Header } from '../../domain/chain/chain.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { SetAside } from '../../ports/repository/set-aside.ts'
import type { Store } from '../../ports/store.ts'
import { lockInvoices } from '../sale/invoice-state.ts'

/** The blocks that were not scanned with a viewing key while it was set aside. */
export interface MissedBlocks {
  /** Scan keys to try again, see `SetAsideRepository.listDueScanKeys`. */
  listDue(limit: number): Promise<SetAside[]>
  /** The newest recorded height; null before the first block. */
  tip(): Promise<number | null>
  /**
   * Records that the key was tried on all blocks up to this one. At the newest recorded block, the key joins the scans.
   * @param scanned null: there was no block to read
   * @returns false, with nothing changed, when the blocks were replaced meanwhile
   */
  advance(entry: SetAside, scanned: Header | null): Promise<boolean>
  /**
   * Moves the payments in these blocks back to the mempool that a rewind could not move: they are read again. Their
   * invoices are set aside meanwhile.
   * @throws when they still cannot be moved
   */
  unmine(entry: SetAside): Promise<void>
  /** Removes the entry when a complete sync began after the key had joined the scans: its invoices may expire again. */
  removeIfSynced(entry: SetAside): Promise<boolean>
  /** Removes the entry of a key that does not exist any more. */
  remove(entry: SetAside): Promise<void>
}

export function createMissedBlocks(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}): MissedBlocks {
  const { store, clock, log } = deps
  return {
    async listDue(limit) {
      const now = nowSecs(clock)
      if (!(await store.query(tx => tx.setAside.isAnyDue(now)))) return []
      return store.read(tx => tx.setAside.listDueScanKeys(now, limit))
    },

    tip: () => store.query(async tx => (await tx.chain.tip())?.height ?? null),

    async advance(entry, scanned) {
      const now = nowSecs(clock)
      return store.write(async tx => {
        await tx.chain.lock()
        const current = await tx.setAside.lock(entry)
        const tip = (await tx.chain.tip())?.height ?? 0
        if (!current || current.fromHeight !== entry.fromHeight) return false
        const ours = scanned && (await tx.chain.headerAt(scanned.height))
        if (scanned && (scanned.height > tip || (ours && ours.hash !== scanned.hash))) return false
        const next = scanned ? scanned.height + 1 : (entry.fromHeight ?? 0)
        await tx.setAside.put({ ...current, fromHeight: next > tip ? null : next, nextAttemptAt: now })
        return true
      })
    },

    async unmine({ rowId, fromHeight }) {
      if (rowId === null || fromHeight === null) return
      const above = fromHeight - 1
      if ((await store.query(tx => tx.payments.setAsideMinedAbove(above, rowId))).length === 0) return
      await store.write(async tx => {
        await tx.chain.lock()
        const locked = await lockInvoices(tx, await tx.payments.setAsideMinedAbove(above, rowId))
        await tx.payments.unmineAbove(above, [...locked.keys()])
      })
    },

    async removeIfSynced(entry) {
      const removed = await store.write(async tx => {
        await tx.chain.lock()
        if ((await tx.chain.syncedThrough()) <= entry.nextAttemptAt) return false
        const current = await tx.setAside.lock(entry)
        if (!current || current.fromHeight !== null) return false
        await tx.setAside.remove(entry)
        return true
      })
      if (removed) log.info({ key: entry.rowId }, 'a viewing key that was set aside is used again; no block was missed')
      return removed
    },

    remove: entry => store.write(tx => tx.setAside.remove(entry)),
  }
}
