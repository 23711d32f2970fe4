import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** Where a session began (an earlier one in a browser, if a code was entered in it), the audit log, and indexes
 * for deleting old sessions and revoked keys. */
export async function up(db: Kysely<unknown>, { id, int, strict }: Dialect): Promise<void> {
  const statements = [
    "ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT 'script'",
    "UPDATE sessions SET origin = 'browser' WHERE id IN (SELECT session_id FROM fresh_sessions)",
    `CREATE TABLE audit_entries (
      id ${id},
      account_id ${int} REFERENCES accounts (id),
      kind TEXT NOT NULL,
      actor TEXT NOT NULL,
      session TEXT,
      network TEXT,
      client TEXT,
      detail TEXT,
      created_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX audit_entries_by_account ON audit_entries (account_id, id)',
    'CREATE INDEX audit_entries_by_account_time ON audit_entries (account_id, actor, created_at)',
    'CREATE INDEX audit_entries_by_age ON audit_entries (created_at)',
    'CREATE INDEX sessions_by_expiry ON sessions (expires_at)',
    'CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
