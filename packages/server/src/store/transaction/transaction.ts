import type { DatabaseConnection, DialectAdapter, Driver, QueryCompiler, Dialect as SqlDialect } from 'kysely'
import { Kysely, PostgresAdapter, PostgresQueryCompiler, SqliteAdapter } from 'kysely'
import { Fault } from '../../domain/error.ts'
import type { Rows, Topic } from '../../ports.ts'
import type { Dialect } from '../dialect.ts'
import { SqliteCompiler } from '../sqlite/compiler.ts'
import type { Tables } from '../tables.ts'
import type { PutOff } from './tx.ts'
import { createRows } from './tx.ts'

/** One use case's hold on a connection: its rows, and what is to happen when it ends. */
export interface Transaction {
  readonly rows: Rows
  /** Topics to wake once this is committed. */
  readonly topics: ReadonlySet<Topic>
  /** A statement that may have changed something was sent. */
  readonly changed: boolean
  /**
   * Writes what was put off to the end; call it last, before the commit.
   * @throws what a statement has failed with, even if the use case made light of it: PostgreSQL would not commit.
   */
  flush(): Promise<void>
  /** From here on every statement of this use case fails, whoever still holds its rows. */
  end(): void
}

/** What the transaction is for: to write, to read, or to read by one statement alone, which is its own snapshot. */
export type Mode = 'write' | 'read' | 'glance'

/** Opens the rows on a connection whose transaction has begun. */
export function openTransaction(connection: DatabaseConnection, dialect: Dialect, mode: Mode): Transaction {
  const fence = new FencedConnection(connection, mode === 'glance' ? 1 : undefined)
  const db = openDb<Tables>(fence, dialect)
  const topics = new Set<Topic>()
  const late: PutOff[] = []
  const refuseRead = () => {
    if (mode !== 'write') throw new Error('a read changes nothing: use write')
  }
  const rows = createRows(db, dialect, {
    putOff: work => {
      refuseRead()
      late.push(work)
    },
    wake: topic => {
      refuseRead()
      topics.add(topic)
    },
  })
  return {
    rows,
    topics,
    get changed() {
      return fence.changed
    },
    async flush() {
      for (const work of late.splice(0)) await work()
      fence.check()
    },
    end: () => fence.end(),
  }
}

/** Shared by all: a query is compiled in one go, and nothing of it is kept. */
const SPELLING: Readonly<Record<Dialect['name'], { adapter: DialectAdapter; compiler: QueryCompiler }>> = {
  sqlite: { adapter: new SqliteAdapter(), compiler: new SqliteCompiler() },
  postgres: { adapter: new PostgresAdapter(), compiler: new PostgresQueryCompiler() },
}

/** Kysely on one connection. It costs about a microsecond, so each use case has its own. */
export function openDb<T>(connection: DatabaseConnection, dialect: Dialect): Kysely<T> {
  const { adapter, compiler } = SPELLING[dialect.name]
  const sqlDialect: SqlDialect = {
    createAdapter: () => adapter,
    createQueryCompiler: () => compiler,
    createDriver: () => new OneConnection(connection),
    createIntrospector: () => {
      throw new Error('the store does not introspect')
    },
  }
  return new Kysely<T>({ dialect: sqlDialect })
}

/** Settles with `work`, or fails after `ms`: a use case may wait for nothing but its rows. */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Fault('unavailable', 'timed_out', 'service unavailable', { cause: `no end within ${ms} ms` }))
    }, ms)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** A connection that one use case can be cut off from. */
export class FencedConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  #statementsLeft: number
  #ended = false
  changed = false
  #failure: { readonly error: unknown } | null = null

  constructor(connection: DatabaseConnection, statements = Number.POSITIVE_INFINITY) {
    this.#connection = connection
    this.#statementsLeft = statements
  }

  end(): void {
    this.#ended = true
  }

  check(): void {
    if (this.#failure) throw this.#failure.error
  }

  executeQuery: DatabaseConnection['executeQuery'] = async (query, options) => {
    if (this.#ended) throw new Error('the transaction of these rows is over')
    if (this.#statementsLeft-- === 0) throw new Error('a glance is one statement: use read')
    if (query.query.kind !== 'SelectQueryNode') this.changed = true
    try {
      return await this.#connection.executeQuery(query, options)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }

  streamQuery(): never {
    throw new Error('the store reads in pages, it does not stream')
  }
}

/** Kysely's driver when the connection, and its transaction, are held by the store. */
class OneConnection implements Driver {
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
    throw new Error('a use case is one transaction already')
  }

  async commitTransaction(): Promise<void> {
    throw new Error('the store commits')
  }

  async rollbackTransaction(): Promise<void> {
    throw new Error('the store rolls back')
  }

  async destroy(): Promise<void> {}
}
