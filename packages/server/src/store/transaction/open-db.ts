import type { DatabaseConnection, DialectAdapter, Driver, QueryCompiler, Dialect as SqlDialect } from 'kysely'
import { Kysely, PostgresAdapter, PostgresQueryCompiler, SqliteAdapter } from 'kysely'
import type { Dialect } from '../dialect.ts'
import { SqliteCompiler } from '../sqlite/compiler.ts'

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
