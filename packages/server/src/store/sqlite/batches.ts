import { setTimeout as sleep } from 'node:timers/promises'
import type { Batch, Batches } from '../batching/group-commit.ts'
import type { Dialect } from '../dialect.ts'
import type { SqliteConnection } from './driver.ts'
import { isBusy, sqliteFault } from './driver.ts'

const RETRY_MS = { first: 1, most: 50 }

/** Batches on the one connection that writes. */
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
        // The disk, most likely. The next batch begins by trying again.
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

/** Another process may be writing. SQLite's own wait would hold up the thread, so this one is made here. */
export async function lockForWrite(connection: SqliteConnection, lockMs: number): Promise<void> {
  const deadline = performance.now() + lockMs
  for (let waitMs = RETRY_MS.first; ; waitMs = Math.min(waitMs * 2, RETRY_MS.most)) {
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
