import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@zatgate/server/ports/store'
import type { BatchDriver, BatchTransaction } from '@zatgate/server/store/batching/group-commit'
import { type Database, SQLITE } from '@zatgate/server/store/dialect'
import { DEFAULT_LIMITS } from '@zatgate/server/store/limits'
import { migrate } from '@zatgate/server/store/migrate'
import { MIGRATIONS } from '@zatgate/server/store/migrations/index'
import { sqliteBatchDriver } from '@zatgate/server/store/sqlite/batches'
import { SqliteConnection } from '@zatgate/server/store/sqlite/driver'
import { createSqliteStore, type SqliteReader } from '@zatgate/server/store/sqlite/store'
import { openDb } from '@zatgate/server/store/transaction/open-db'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Owner } from '../runtime/scheduler.ts'
import type { StoreHooks } from './hooks.ts'
import { refusalTriggers } from './refused-rows.ts'
import { writtenTables } from './table-names.ts'
import { copyTables, createReader, prepareRestore, type TableCopy } from './tables.ts'
import { newTurn, type Turn, Turns } from './turns.ts'

/** A database that the simulated processes share. Its connections and statements serve many runs. */
export interface SimulatedDatabase {
  /** Sets the hooks of the next run, and empties the database. */
  begin(hooks: StoreHooks): void
  /** Opens the store of a process. @param identity of the database, which differs in a restored copy */
  openStore(process: Owner, identity: string): Promise<Store>
  /** Ends the connections of a process that has died: open transactions are rolled back. */
  crash(process: Owner): void
  /** Reads the committed state. Integers are bigint. */
  committed<T>(sql: string, ...values: (string | number | bigint)[]): T[]
  /**
   * Replaces the content by that of a copy, or copies it. No process may be running.
   * @param idsAhead how far the sequence of each table is ahead of the copy; on PostgreSQL only
   */
  copyContent(): unknown
  restoreContent(copy: unknown, idsAhead?: () => number): void
  /** Puts a copy in place while these processes run: they only lose their connections. Undefined: not possible. */
  failOver?(processes: readonly Owner[], copy: unknown, identity: string, idsAhead?: () => number): void
  close(): void
}

/**
 * Opens the simulated SQLite: the service's own SQLite store on one connection to a database in memory. Transactions take
 * turns. In SQLite a read is a snapshot, so that it gives the same rows as one that runs at once when it begins.
 */
export async function openSimulatedSqlite(): Promise<SimulatedDatabase> {
  const raw = new DatabaseSync(':memory:', { readBigInts: true })
  raw.exec('PRAGMA foreign_keys = ON')
  const connection = new SqliteConnection(raw)
  await migrate(openDb<unknown>(connection, SQLITE), SQLITE, MIGRATIONS)
  const reset = prepareRestore(raw, copyTables(raw))
  const committed = createReader(raw)
  const turns = new Turns()
  let hooks: StoreHooks
  /** Not while the content is replaced. */
  let isServing = false
  raw.function('row_refused', (table, reference) =>
    isServing && hooks.refuses?.(String(table), String(reference)) ? 1 : 0,
  )
  for (const trigger of refusalTriggers(copyTables(raw).map(({ name }) => name))) raw.exec(trigger)
  /** The tables that the open transaction has changed, or more. */
  let changed = new Set<string>()

  function batchDriver(process: Owner, database: Database): BatchDriver {
    const driver = sqliteBatchDriver(connection, database, DEFAULT_LIMITS.lockTimeoutMs)
    return {
      ...driver,
      async begin() {
        await hooks.before({ process, kind: 'begin' })
        const turn = newTurn(process)
        await turns.acquire(turn)
        try {
          return hookedBatch(turn, await driver.begin())
        } catch (error) {
          turns.release(turn)
          throw error
        }
      },
    }
  }

  function hookedBatch(turn: Turn, batch: BatchTransaction): BatchTransaction {
    const { process } = turn
    let useCases = 0
    return {
      connection: hookedConnection(process),
      savepoint() {
        useCases += 1
        batch.savepoint()
      },
      releaseSavepoint: () => batch.releaseSavepoint(),
      rollbackToSavepoint: error => batch.rollbackToSavepoint(error),
      async commit(topics) {
        await hooks.before({ process, kind: 'commit' })
        await batch.commit(topics)
        if (changed.size > 0) hooks.onCommit(process, useCases, changed)
        changed = new Set()
        turns.release(turn)
        await hooks.after({ process, kind: 'commit' })
      },
      async rollback() {
        if (turns.has(turn)) await batch.rollback()
        turns.release(turn)
      },
    }
  }

  function hookedConnection(process: Owner): DatabaseConnection {
    return {
      streamQuery: connection.streamQuery,
      executeQuery: query => runStatement(process, query),
    }
  }

  /** Runs at once, as SQLite does: a use case that has timed out must not run statements any more. */
  async function runStatement<R>(process: Owner, query: CompiledQuery): Promise<QueryResult<R>> {
    hooks.fail({ process, kind: 'statement' })
    isServing = true
    const running = connection.executeQuery<R>(query)
    isServing = false
    const result = await running
    if (result.rows.length > 0 || (result.numAffectedRows ?? 0n) > 0n)
      for (const table of writtenTables(query.sql)) changed.add(table)
    await hooks.after({ process, kind: 'statement', sql: query.sql, rows: result.rows.length })
    return result
  }

  /** A read takes its turn at its first statement, and ends it with `rollback`. */
  function openReader(process: Owner): SqliteReader {
    let turn: Turn | null = null
    return {
      streamQuery: connection.streamQuery,
      async executeQuery(query) {
        if (turn === null) {
          const own = newTurn(process)
          turn = own
          await turns.acquire(own)
          if (turn !== own) throw new Error('the read has ended')
        }
        return runStatement(process, query)
      },
      run: () => {},
      rollback() {
        if (turn !== null) turns.release(turn)
        turn = null
      },
      close: () => {},
    }
  }

  function crash(process: Owner): void {
    if (turns.process !== process) return
    connection.rollback()
    turns.release()
  }

  return {
    begin(next) {
      hooks = next
      changed = new Set()
      connection.rollback()
      turns.reset()
      reset()
    },

    async openStore(process, identity) {
      const database = { dialect: SQLITE, identity: `'${identity}'` }
      return createSqliteStore({
        database,
        batches: batchDriver(process, database),
        openReader: () => openReader(process),
        closeWriter: () => {},
        limits: DEFAULT_LIMITS,
        onError: error => {
          throw error
        },
      })
    },

    crash,
    committed,
    copyContent: () => copyTables(raw),
    restoreContent: copy => prepareRestore(raw, copy as TableCopy[])(),
    close: () => connection.close(),
  }
}
