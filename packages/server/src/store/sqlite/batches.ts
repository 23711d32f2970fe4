import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch, Batches } from '../batching/group-commit.ts'
import type { Dialect } from '../dialect.ts'
import type { SqliteConnection } from './driver.ts'
import { isBusy, sqliteFault } from './driver.ts'

const RETRY_MS = { first: 1, max: 50 }

/** Transactions on the only connection that writes. */
export function sqliteBatches(connection: SqliteConnection, dialect: Dialect, lockMs: number): Batches {
  const batch: Batch = {
    connection,
    savepoint: () => connection.run('SAVEPOINT use_case'),
    release: () => connection.run('RELEASE use_case'),
    async rollbackTo(error) {
      // Some failures (a full disk) make SQLite roll the whole transaction back.
      if (!connection.inTransaction) throw error
      connection.run('ROLLBACK TO use_case')
      connection.run('RELEASE use_case')
    },
    async commit() {
      connection.run('COMMIT')
    },
    async abandon() {
      try {
        connection.rollback()
      } catch {
        // Most likely a disk error. The next batch rolls back again before it begins.
      }
    },
  }
  return {
    dialect,
    isTransient: () => false,
    fault: sqliteFault,
    async begin() {
      await lockForWrite(connection, lockMs)
      return batch
    },
  }
}

/** Begins a transaction, waiting while another process writes. SQLite's own wait would block the thread. */
export async function lockForWrite(connection: SqliteConnection, lockMs: number): Promise<void> {
  const deadline = performance.now() + lockMs
  for (let waitMs = RETRY_MS.first; ; waitMs = Math.min(waitMs * 2, RETRY_MS.max)) {
    try {
      connection.rollback()
      connection.run('BEGIN IMMEDIATE')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await sleep(waitMs)
  }
}
