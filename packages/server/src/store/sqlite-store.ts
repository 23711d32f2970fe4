import type { Rows, Store } from '../ports.ts'
import { backupSqlite } from './backup.ts'
import { SQLITE } from './dialect.ts'
import { SqliteConnection, sqliteFault } from './drivers/sqlite.ts'
import { GroupCommit } from './group-commit.ts'
import type { StoreLimits } from './limits.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migrations/index.ts'
import { Pool } from './pool.ts'
import { openDb, openTransaction, within } from './transaction.ts'
import { createWakes } from './wakes.ts'

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
  try {
    await migrateSqlite(writer, migrations)
  } catch (error) {
    writer.close()
    throw error
  }
  const wakes = createWakes(onFault)
  const commits = new GroupCommit(writer, limits, topics => wakes.fire(topics))
  const readers = new Pool(() => SqliteConnection.reader(path), { size: limits.connections, waiting: limits.waiting })

  async function read<T>(work: (rows: Rows) => Promise<T>): Promise<T> {
    const reader = await readers.acquire()
    const transaction = openTransaction(reader, SQLITE, true)
    try {
      reader.run('BEGIN')
      return await within(limits.workMs, () => work(transaction.rows))
    } catch (error) {
      throw sqliteFault(error)
    } finally {
      transaction.end()
      reader.rollback()
      readers.release(reader)
    }
  }

  async function close(): Promise<void> {
    await commits.close()
    for (const reader of readers.close()) reader.close()
    writer.close()
  }

  let closed: Promise<void> | undefined
  return {
    read,
    write: work => commits.write(work),
    listen: wakes.listen,
    backup: file => backupSqlite(path, file),
    close: () => (closed ??= close()),
  }
}

async function migrateSqlite(writer: SqliteConnection, migrations: readonly Migration[]): Promise<void> {
  writer.run('BEGIN IMMEDIATE')
  try {
    await migrate(openDb<unknown>(writer, SQLITE), SQLITE, migrations)
    writer.run('COMMIT')
  } finally {
    writer.rollback()
  }
}
