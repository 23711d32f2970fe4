import type { Rows, Store } from '../../ports/store.ts'
import { GroupCommit } from '../batching/group-commit.ts'
import { createLookup } from '../batching/lookup.ts'
import { SQLITE } from '../dialect.ts'
import type { StoreLimits } from '../limits.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migrations/index.ts'
import { createWakes } from '../notifications.ts'
import { sqliteIdentity } from '../repository/database-identity.ts'
import { openDb, openTransaction, within } from '../transaction/transaction.ts'
import { backupSqlite } from './backup.ts'
import { lockForWrite, sqliteBatches } from './batches.ts'
import { Pool } from './connection-pool.ts'
import { SqliteConnection, sqliteFault } from './driver.ts'

/** Another process may be migrating the same file. */
const MIGRATION_WAIT_MS = 60_000

/**
 * The store in one SQLite file. One connection writes; a few others read, each from a snapshot that the writer does not
 * block. One process serves from the file. Other processes (the command line) may write to it too, but `listen` does
 * not report their commits.
 */
export async function openSqliteStore(
  path: string,
  migrations: readonly Migration[],
  limits: StoreLimits,
  onError: (error: unknown) => void,
): Promise<Store> {
  const writer = SqliteConnection.writer(path)
  let dialect = SQLITE
  try {
    await migrateSqlite(writer, migrations)
    dialect = { ...SQLITE, identity: sqliteIdentity(path) }
  } catch (error) {
    writer.close()
    throw error
  }
  const notifications = createWakes(onError)
  const commits = new GroupCommit(sqliteBatches(writer, dialect, limits.lockMs), limits, 1, notifications.fire)
  const readers = new Pool(() => SqliteConnection.reader(path), {
    size: limits.connections,
    maxWaiting: limits.waiting,
  })

  async function acquire(): Promise<SqliteConnection> {
    try {
      return await readers.acquire()
    } catch (error) {
      throw sqliteFault(error)
    }
  }

  async function read<T>(work: (tx: Rows) => Promise<T>, mode: 'read' | 'query'): Promise<T> {
    const reader = await acquire()
    const transaction = openTransaction(reader, dialect, mode)
    try {
      if (mode === 'read') reader.run('BEGIN')
      return await within(limits.workMs, () => work(transaction.rows))
    } catch (error) {
      throw sqliteFault(error)
    } finally {
      transaction.end()
      // Without delay: an open snapshot prevents the checkpoint of the write-ahead log.
      reader.rollback()
      readers.release(reader)
    }
  }

  async function close(): Promise<void> {
    const idle = within(limits.workMs, () => readers.close())
    await commits.close()
    for (const reader of await idle) reader.close()
    writer.close()
  }

  const query: Store['glance'] = work => read(work, 'query')
  let closed: Promise<void> | undefined
  return {
    read: work => read(work, 'read'),
    glance: query,
    lookup: createLookup(query, limits),
    write: (work, options) => commits.write(work, options?.crowd),
    listen: notifications.listen,
    backup: file => backupSqlite(path, file),
    close: () => (closed ??= close()),
  }
}

async function migrateSqlite(writer: SqliteConnection, migrations: readonly Migration[]): Promise<void> {
  await lockForWrite(writer, MIGRATION_WAIT_MS)
  try {
    await migrate(openDb<unknown>(writer, SQLITE), SQLITE, migrations)
    writer.run('COMMIT')
  } finally {
    writer.rollback()
  }
}
