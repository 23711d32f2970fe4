/** What the two databases spell differently in a table's definition. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  /** An integer primary key that the database counts up. */
  readonly id: string
  /** A 64-bit integer. */
  readonly int: string
  readonly blob: string
  /** Ends a table's definition. */
  readonly strict: string
  /** SQL for the identity of the database (see `domain/database-identity.ts`); an open store has its own. */
  readonly identity: string
}

export const SQLITE: Dialect = {
  name: 'sqlite',
  id: 'INTEGER PRIMARY KEY',
  int: 'INTEGER',
  blob: 'BLOB',
  strict: 'STRICT',
  identity: "'?'",
}

export const POSTGRES: Dialect = {
  name: 'postgres',
  id: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  int: 'BIGINT',
  blob: 'BYTEA',
  strict: '',
  identity: "'?'",
}
