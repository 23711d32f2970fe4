import { isBackupMissing } from '../domain/backup.ts'
import type { NewestBackup } from '../ports/backup.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'

/** The backups of the database, for a merchant who runs the service. */
export interface Backups {
  /** Whether the only account of this service should make one. False where backups cannot be seen, and for several accounts. */
  isMissing(): Promise<boolean>
}

/** @param newest null: backups cannot be seen, or nothing is worth one */
export function createBackups(deps: {
  readonly store: Store
  readonly clock: Clock
  readonly newestBackup: NewestBackup | null
}): Backups {
  const { store, clock, newestBackup } = deps
  return {
    async isMissing() {
      if (newestBackup === null) return false
      const accounts = await store.query(tx => tx.accounts.list(0, 2))
      return accounts.length === 1 && isBackupMissing(await newestBackup(), nowSecs(clock))
    },
  }
}
