/** The parts of a table definition that differ between SQLite and PostgreSQL. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** An auto-incremented integer primary key. */
  readonly id: string
  /** A 64-bit integer. */
  readonly int: string
  readonly blob: string
  /** Text that is compared byte by byte, in any locale. */
  readonly bytewise: string
  /** Table options that end a `CREATE TABLE` statement. */
  readonly strict: string
}

/** An open database. */
export interface Database {
  readonly dialect: Dialect
  /** SQL expression for the identity of the database (see `domain/database-identity.ts`). */
  readonly identity: string
}

export const SQLITE: Dialect = {
  name: 'sqlite',
  id: 'INTEGER PRIMARY KEY',
  int: 'INTEGER',
  blob: 'BLOB',
  bytewise: 'TEXT',
  strict: 'STRICT',
}

export const POSTGRES: Dialect = {
  name: 'postgres',
  id: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  int: 'BIGINT',
  blob: 'BYTEA',
  bytewise: 'TEXT COLLATE "C"',
  strict: '',
}
