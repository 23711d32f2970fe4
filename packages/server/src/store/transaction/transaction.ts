import type { DatabaseConnection, DialectAdapter, Driver, QueryCompiler, Dialect as SqlDialect } from 'kysely'
import { Kysely, PostgresAdapter, PostgresQueryCompiler, SqliteAdapter } from 'kysely'
import { AppError } from '../../domain/error.ts'
import type { Topic, Tx } from '../../ports/store.ts'
import type { Dialect } from '../dialect.ts'
import { SqliteCompiler } from '../sqlite/compiler.ts'
import type { Tables } from '../tables.ts'
import type { DeferredWork } from './tx.ts'
import { createTx } from './tx.ts'

/** The database access of one use case, and the work deferred to the end of its transaction. */
export interface Transaction {
  readonly tx: Tx
  /** Topics to notify after the commit. */
  readonly topics: ReadonlySet<Topic>
  /**
   * Runs the deferred work. Call it last, before the commit.
   * @throws the error of a failed statement, even if the use case caught it: PostgreSQL would not commit.
   */
  flush(): Promise<void>
  /** Ends the access: every later statement of this use case fails. */
  end(): void
}

/** `query` is a read of one statement, which is its own snapshot. */
export type TransactionMode = 'write' | 'read' | 'query'

/** Opens the repositories on a connection whose transaction has begun. */
export function openTransaction(connection: DatabaseConnection, dialect: Dialect, mode: TransactionMode): Transaction {
  const fence = new RevocableConnection(connection, mode === 'query' ? 1 : undefined)
  const db = openDb<Tables>(fence, dialect)
  const topics = new Set<Topic>()
  const deferred: DeferredWork[] = []
  const requireWrite = () => {
    if (mode !== 'write') throw new Error('a read must not change anything: use write')
  }
  const tx = createTx(db, dialect, {
    beforeCommit: work => {
      requireWrite()
      deferred.push(work)
    },
    notify: topic => {
      requireWrite()
      topics.add(topic)
    },
  })
  return {
    tx,
    topics,
    async flush() {
      for (const work of deferred.splice(0)) await work()
      fence.rethrowFailure()
    },
    end: () => fence.revoke(),
  }
}

/** Shared by all transactions: compiling a query is synchronous and leaves no state behind. */
const SQL_DIALECTS: Readonly<Record<Dialect['name'], { adapter: DialectAdapter; compiler: QueryCompiler }>> = {
  sqlite: { adapter: new SqliteAdapter(), compiler: new SqliteCompiler() },
  postgres: { adapter: new PostgresAdapter(), compiler: new PostgresQueryCompiler() },
}

/** Kysely on one connection. Creating it takes about a microsecond, so each use case has its own. */
export function openDb<T>(connection: DatabaseConnection, dialect: Dialect): Kysely<T> {
  const { adapter, compiler } = SQL_DIALECTS[dialect.name]
  const sqlDialect: SqlDialect = {
    createAdapter: () => adapter,
    createQueryCompiler: () => compiler,
    createDriver: () => new SingleConnectionDriver(connection),
    createIntrospector: () => {
      throw new Error('the store does not introspect')
    },
  }
  return new Kysely<T>({ dialect: sqlDialect })
}

/**
 * Runs `work` with a time limit.
 * @throws AppError `timed_out` after `ms` milliseconds
 */
export async function withTimeout<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new AppError('unavailable', 'timed_out', 'service unavailable', { cause: `not finished within ${ms} ms` }))
    }, ms)
  })
  try {
    return await Promise.race([work(), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** A connection whose use by one use case can be limited and ended. */
export class RevocableConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  #statementsLeft: number
  #ended = false
  #failure: { readonly error: unknown } | null = null

  constructor(connection: DatabaseConnection, statements = Number.POSITIVE_INFINITY) {
    this.#connection = connection
    this.#statementsLeft = statements
  }

  revoke(): void {
    this.#ended = true
  }

  rethrowFailure(): void {
    if (this.#failure) throw this.#failure.error
  }

  executeQuery: DatabaseConnection['executeQuery'] = async (query, options) => {
    if (this.#ended) throw new Error('the transaction has ended')
    if (this.#statementsLeft-- === 0) throw new Error('a query is limited to one statement: use read')
    try {
      return await this.#connection.executeQuery(query, options)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }

  streamQuery(): never {
    throw new Error('the store does not stream: it reads in pages')
  }
}

/** Kysely's driver for one connection whose transaction the store controls. */
class SingleConnectionDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(connection: DatabaseConnection) {
    this.#connection = connection
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('a use case already runs in a transaction')
  }

  async commitTransaction(): Promise<void> {
    throw new Error('the store commits')
  }

  async rollbackTransaction(): Promise<void> {
    throw new Error('the store rolls back')
  }

  async destroy(): Promise<void> {}
}
