import type { DatabaseConnection } from 'kysely'
import type { Store, Tx } from '../../ports/store.ts'
import { type BatchDriver, GroupCommit } from '../batching/group-commit.ts'
import { createLookup } from '../batching/lookup.ts'
import { type Database, SQLITE } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { type MigrationWatch, migrate } from '../migrate.ts'
import type { Migration } from '../migrations/index.ts'
import { createNotifications } from '../notifications.ts'
import { sqliteIdentity } from '../repository/database-identity.ts'
import { openDb } from '../transaction/open-db.ts'
import { withTimeout } from '../transaction/timeout.ts'
import { openTransaction } from '../transaction/transaction.ts'
import { beginImmediate, sqliteBatchDriver } from './batches.ts'
import { ConnectionPool } from './connection-pool.ts'
import { SqliteConnection, translateSqliteError } from './driver.ts'
import type { ProcessLock } from './process-lock.ts'

/** Another process may be migrating the same file. */
const MIGRATION_WAIT_MS = 60_000

/**
 * Opens the store in one SQLite file, and creates or migrates its tables.
 * @param options `lock`: released when the store closes; `migration`: follows and stops the migrations
 */
export async function openSqliteStore(
  path: string,
  migrations: readonly Migration[],
  limits: StoreLimits,
  onError: (error: unknown) => void,
  {
    lock,
    migration,
  }: { readonly lock?: ProcessLock | undefined; readonly migration?: MigrationWatch | undefined } = {},
): Promise<Store> {
  const writer = SqliteConnection.openWriter(path)
  let database: Database
  try {
    await migrateSqlite(writer, migrations, migration)
    writer.keepSavepointsInMemory()
    database = { dialect: SQLITE, identity: sqliteIdentity(path) }
  } catch (error) {
    writer.close()
    throw error
  }
  return createSqliteStore({
    database,
    batches: sqliteBatchDriver(writer, database, limits.lockTimeoutMs),
    openReader: () => SqliteConnection.openReader(path),
    closeWriter() {
      writer.close()
      lock?.release()
    },
    limits,
    onError,
  })
}

/** A connection that reads. */
export interface SqliteReader extends DatabaseConnection {
  run(sql: string): void
  rollback(): void
  close(): void
}

/**
 * The store on open connections. One connection writes; a few others read, each from a snapshot that the writer does not
 * block. One process serves from the file. Other processes (the command line) may write to it too, but `listen` does
 * not report their commits.
 */
export function createSqliteStore(deps: {
  readonly database: Database
  /** The transactions of the connection that writes. */
  readonly batches: BatchDriver
  readonly openReader: () => SqliteReader
  readonly closeWriter: () => void
  readonly limits: StoreLimits
  readonly onError: (error: unknown) => void
}): Store {
  const { database, batches, openReader, closeWriter, limits, onError } = deps
  const notifications = createNotifications(onError)
  const commits = new GroupCommit(batches, limits, notifications.notify)
  const readers = new ConnectionPool(openReader, { size: limits.maxConnections, maxWaiting: limits.maxWaiting })

  async function acquire(): Promise<SqliteReader> {
    try {
      return await readers.acquire()
    } catch (error) {
      throw translateSqliteError(error)
    }
  }

  async function read<T>(work: (tx: Tx) => Promise<T>, mode: 'read' | 'query'): Promise<T> {
    const reader = await acquire()
    const transaction = openTransaction(reader, database, mode)
    try {
      if (mode === 'read') reader.run('BEGIN')
      return await withTimeout(limits.transactionTimeoutMs, () => work(transaction.tx))
    } catch (error) {
      throw translateSqliteError(error)
    } finally {
      transaction.end()
      // Without delay: an open snapshot prevents the checkpoint of the write-ahead log.
      reader.rollback()
      readers.release(reader)
    }
  }

  async function close(): Promise<void> {
    const idle = withTimeout(limits.transactionTimeoutMs, () => readers.close())
    await commits.close()
    for (const reader of await idle) reader.close()
    closeWriter()
  }

  const query: Store['query'] = work => read(work, 'query')
  let closed: Promise<void> | undefined
  return {
    read: work => read(work, 'read'),
    query,
    lookup: createLookup(query, limits),
    write: work => commits.write(work),
    writeBatched: (accountId, work) => commits.writeBatched(accountId, work),
    listen: notifications.listen,
    close: () => (closed ??= close()),
  }
}

async function migrateSqlite(
  writer: SqliteConnection,
  migrations: readonly Migration[],
  watch?: MigrationWatch,
): Promise<void> {
  await beginImmediate(writer, MIGRATION_WAIT_MS)
  try {
    await migrate(openDb<unknown>(writer, SQLITE), SQLITE, migrations, watch)
    writer.run('COMMIT')
  } finally {
    writer.rollback()
  }
}
