import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import { AppError } from '../../domain/error.ts'
import { NonStreamingConnection } from '../transaction/connection.ts'

const MAX_STATEMENTS = 256
/**
 * Pages of the write-ahead log before a checkpoint, twice SQLite's default: the index of random invoice ids changes the
 * same pages again and again, and a checkpoint writes each of them once. It holds the writer for some 10 ms.
 */
const CHECKPOINT_PAGES = 2_000
/** A reader waits only for a recovery or for the last close of another process. The wait blocks the whole thread. */
const READER_BUSY_MS = 5_000

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

/** One connection of node:sqlite, with its prepared statements. Calls are synchronous; the promises are Kysely's. */
export class SqliteConnection extends NonStreamingConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()

  /**
   * Creates the file if needed and sets its persistent options. The write lock is requested without waiting, since a
   * wait inside SQLite would block every request of the process; the caller retries.
   */
  static openWriter(path: string): SqliteConnection {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
    const database = new DatabaseSync(path, { readBigInts: true, timeout: READER_BUSY_MS })
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA busy_timeout = 0')
    database.exec('PRAGMA synchronous = FULL')
    database.exec('PRAGMA foreign_keys = ON')
    database.exec('PRAGMA trusted_schema = OFF')
    database.exec('PRAGMA cache_size = -32000')
    database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    database.exec(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`)
    return new SqliteConnection(database)
  }

  static openReader(path: string): SqliteConnection {
    const database = new DatabaseSync(path, { readBigInts: true, readOnly: true, timeout: READER_BUSY_MS })
    database.exec('PRAGMA trusted_schema = OFF')
    database.exec('PRAGMA cache_size = -16000')
    return new SqliteConnection(database)
  }

  /** @param database must read integers as bigint */
  constructor(database: DatabaseSync) {
    super()
    this.#database = database
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  run(sql: string): void {
    this.#prepare(sql).statement.run()
  }

  /**
   * Keeps in memory what a savepoint or a failed statement would restore, and not in a temporary file. For use cases,
   * which change few pages; a migration can change all.
   */
  keepSavepointsInMemory(): void {
    this.#database.exec('PRAGMA temp_store = MEMORY')
  }

  /** Rolls back if a transaction is open: a failed statement may or may not have ended it. */
  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { statement, returnsRows } = this.#prepare(query.sql)
    const values = query.parameters.map(toBindable)
    if (returnsRows) return { rows: statement.all(...values) as R[] }
    return { rows: [], numAffectedRows: BigInt(statement.run(...values).changes) }
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    if (this.#prepared.size >= MAX_STATEMENTS) this.#removeOldest()
    this.#prepared.set(sql, prepared)
    return prepared
  }

  #removeOldest(): void {
    for (const sql of this.#prepared.keys()) {
      this.#prepared.delete(sql)
      return
    }
  }
}

/** node:sqlite binds every number as a double. Whole numbers must be integers in expressions too. */
function toBindable(value: unknown): SQLInputValue {
  return (Number.isInteger(value) ? BigInt(value as number) : value) as SQLInputValue
}

const BUSY = 5
/** Result codes of lock, disk and file errors, which may be temporary. */
const TEMPORARY = new Map([
  [BUSY, 'busy'],
  [6, 'locked'],
  [10, 'I/O error'],
  [13, 'disk full'],
  [14, 'cannot open'],
])

export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY
}

/** The error that callers receive: failures of the database become `unavailable`; others are unchanged. */
export function translateSqliteError(error: unknown): unknown {
  if (!TEMPORARY.has(resultCode(error) ?? -1)) return error
  return new AppError('database_unavailable', { cause: error })
}

function resultCode(error: unknown): number | null {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return null
  return error.errcode & 0xff
}
