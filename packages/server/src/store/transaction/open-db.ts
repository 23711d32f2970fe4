import type { DatabaseConnection, DialectAdapter, QueryCompiler, Dialect as SqlDialect } from 'kysely'
import {
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
} from 'kysely'
import type { Dialect } from '../dialect.ts'
import { SqliteCompiler } from '../sqlite/compiler.ts'

/** Shared by all transactions: compiling a query is synchronous and leaves no state behind. */
const SQL_DIALECTS: Readonly<Record<Dialect['name'], { adapter: DialectAdapter; compiler: QueryCompiler }>> = {
  sqlite: { adapter: new SqliteAdapter(), compiler: new SqliteCompiler() },
  postgres: { adapter: new PostgresAdapter(), compiler: new PostgresQueryCompiler() },
}

/** The store opens connections and transactions itself. */
class NoTransactions extends DummyDriver {
  override async beginTransaction(): Promise<void> {
    throw new Error('a use case already runs in a transaction')
  }
}

const DRIVER = new NoTransactions()
const UNUSED_DIALECT: SqlDialect = {
  createAdapter: () => SQL_DIALECTS.sqlite.adapter,
  createQueryCompiler: () => SQL_DIALECTS.sqlite.compiler,
  createDriver: () => DRIVER,
  createIntrospector: () => {
    throw new Error('the store does not introspect')
  },
}

/**
 * Kysely on one connection. Creating it takes about a microsecond, so each use case has its own. Statements go to the
 * connection directly: Kysely's own path, which waits for a free connection, takes longer than many a statement.
 */
export function openDb<T>(connection: DatabaseConnection, dialect: Dialect): Kysely<T> {
  const { adapter, compiler } = SQL_DIALECTS[dialect.name]
  const executor = new DefaultQueryExecutor(compiler, adapter, { provideConnection: consumer => consumer(connection) })
  return new Kysely<T>({ config: { dialect: UNUSED_DIALECT }, dialect: UNUSED_DIALECT, driver: DRIVER, executor })
}
