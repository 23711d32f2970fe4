import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../../domain/backoff.ts'
import type { BatchDriver, BatchTransaction } from '../batching/group-commit.ts'
import type { Database } from '../dialect.ts'
import type { SqliteConnection } from './driver.ts'
import { isBusy, translateSqliteError } from './driver.ts'

const BACKOFF = { firstMs: 1, maxMs: 50 }

/** Transactions on the only connection that writes. */
export function sqliteBatchDriver(connection: SqliteConnection, database: Database, lockMs: number): BatchDriver {
  const batch: BatchTransaction = {
    connection,
    savepoint: () => connection.run('SAVEPOINT use_case'),
    releaseSavepoint: () => connection.run('RELEASE use_case'),
    async rollbackToSavepoint(error) {
      // Some failures (a full disk) make SQLite roll the whole transaction back.
      if (!connection.inTransaction) throw error
      connection.run('ROLLBACK TO use_case')
      connection.run('RELEASE use_case')
    },
    async commit() {
      connection.run('COMMIT')
    },
    async rollback() {
      try {
        connection.rollback()
      } catch {
        // Most likely a disk error. The next batch rolls back again before it begins.
      }
    },
  }
  return {
    database,
    isTransient: () => false,
    translateError: translateSqliteError,
    async begin() {
      await beginImmediate(connection, lockMs)
      return batch
    },
  }
}

/** Begins a transaction, waiting while another process writes. SQLite's own wait would block the thread. */
export async function beginImmediate(connection: SqliteConnection, lockMs: number): Promise<void> {
  const deadline = performance.now() + lockMs
  for (let attempt = 1; ; attempt++) {
    try {
      connection.rollback()
      connection.run('BEGIN IMMEDIATE')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error
    }
    await sleep(backoffMs(attempt, BACKOFF))
  }
}
