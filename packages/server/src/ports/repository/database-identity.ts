/** The recorded and the current database identity (see `domain/database-identity.ts`). They differ when this database is a copy. */
export interface DatabaseIdentities {
  /** The identity of the database that the address counters belong to; empty in a stamped copy. */
  readonly recorded: string
  /** The identity of the database that this query reached. */
  readonly current: string
}

/** The record that detects copies of the database. */
export interface DatabaseIdentityRepository {
  read(): Promise<DatabaseIdentities>
  /** Like `read`, and locks the record until the transaction ends. */
  lock(): Promise<DatabaseIdentities>
  record(identity: string): Promise<void>
  /** Name of the newest migration that was applied. */
  newestMigration(): Promise<string>
}
