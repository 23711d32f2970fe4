import type { Rows, Store } from '../../ports.ts'
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
 * The store in one SQLite file: one connection writes, a few others read, each read from a snapshot that no writer
 * holds up. One process serves from the file; others (the command line) may write to it in turn, unheard by `listen`.
 */
export async function openSqliteStore(
  path: string,
  migrations: readonly Migration[],
  limits: StoreLimits,
  onFault: (error: unknown) => void,
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
  const wakes = createWakes(onFault)
  const commits = new GroupCommit(sqliteBatches(writer, dialect, limits.lockMs), limits, 1, wakes.fire)
  const readers = new Pool(() => SqliteConnection.reader(path), { size: limits.connections, waiting: limits.waiting })

  async function acquire(): Promise<SqliteConnection> {
    try {
      return await readers.acquire()
    } catch (error) {
      throw sqliteFault(error)
    }
  }

  async function read<T>(work: (rows: Rows) => Promise<T>, mode: 'read' | 'glance'): Promise<T> {
    const reader = await acquire()
    const transaction = openTransaction(reader, dialect, mode)
    try {
      if (mode === 'read') reader.run('BEGIN')
      return await within(limits.workMs, () => work(transaction.rows))
    } catch (error) {
      throw sqliteFault(error)
    } finally {
      transaction.end()
      // At once: a snapshot that stays open keeps the log from being folded into the database.
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

  const glance: Store['glance'] = work => read(work, 'glance')
  let closed: Promise<void> | undefined
  return {
    read: work => read(work, 'read'),
    glance,
    lookup: createLookup(glance, limits),
    write: (work, options) => commits.write(work, options?.crowd),
    listen: wakes.listen,
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
