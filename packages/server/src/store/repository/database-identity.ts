import { statSync } from 'node:fs'
import { sql } from 'kysely'
import { AppError } from '../../domain/error.ts'
import type { DatabaseIdentities, DatabaseIdentityRepository } from '../../ports/repository/database-identity.ts'
import type { PgClient, PgSource } from '../postgres/driver.ts'
import { translatePgError } from '../postgres/error.ts'
import type { Db } from '../tables.ts'

/** @param identity SQL expression for the identity of the database, evaluated in each transaction that reads it */
export function databaseIdentityRepository(db: Db, identity: string): DatabaseIdentityRepository {
  const current = sql<string>`${sql.raw(identity)}`
  const select = () => db.selectFrom('database_identity').select(['identity as recorded', current.as('current')])
  return {
    read: (): Promise<DatabaseIdentities> => select().executeTakeFirstOrThrow(),
    lock: () => select().forUpdate().executeTakeFirstOrThrow(),
    async record(recorded) {
      await db.updateTable('database_identity').set({ identity: recorded }).execute()
    },
    async newestMigration() {
      const { rows } = await sql<{ name: string | null }>`SELECT max(name) AS name FROM migrations`.execute(db)
      return rows[0]?.name ?? ''
    },
  }
}

/**
 * SQL expression for the identity of the SQLite database in this file: its inode and birth time. Both survive a move
 * within the file system and differ in a copy.
 */
export function sqliteIdentity(path: string): string {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true })
  // Without a birth time, Node returns zero or the time of the last change, which a restart may alter.
  const birth = birthtimeNs === 0n || birthtimeNs === ctimeNs ? '' : `;born:${birthtimeNs}`
  return `'inode:${ino}${birth}'`
}

/** The parts of a PostgreSQL database's identity, each with the expressions that read it, the most exact first. */
const POSTGRES_PARTS: readonly [name: string, expressions: readonly string[]][] = [
  ['system', ['(SELECT system_identifier FROM pg_control_system())']],
  [
    'timeline',
    [
      // Exact from the moment of a promotion. During recovery nothing is written, and the function fails.
      "CASE WHEN pg_is_in_recovery() THEN '?' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END",
      // Outdated until the first checkpoint after a promotion.
      "(SELECT upper(lpad(to_hex(timeline_id), 8, '0')) FROM pg_control_checkpoint())",
    ],
  ],
  ['database', ['(SELECT oid FROM pg_database WHERE datname = current_database())']],
  ['table', ["to_regclass('viewing_keys')::oid"]],
]

/** SQL expression for the identity of a PostgreSQL database, built from the parts that this role may read. */
export async function postgresIdentity(source: PgSource): Promise<string> {
  const client = await source.connect()
  try {
    const parts: string[] = []
    for (const [name, expressions] of POSTGRES_PARTS) {
      const allowed = await firstAllowed(client, expressions)
      parts.push(`'${name}:', ${allowed === null ? "'?'" : `coalesce((${allowed})::text, '?')`}`)
    }
    client.release(false)
    return `concat(${parts.join(", ';', ")})`
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** @throws AppError `unavailable` when the connection fails */
async function firstAllowed(client: PgClient, expressions: readonly string[]): Promise<string | null> {
  for (const expression of expressions) {
    try {
      await client.query(`SELECT ${expression}`)
      return expression
    } catch (error) {
      const translated = translatePgError(error)
      if (translated instanceof AppError) throw translated
    }
  }
  return null
}
