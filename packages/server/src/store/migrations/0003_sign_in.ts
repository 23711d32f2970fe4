import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** One-time codes, recently authenticated sessions, and the mails to send. */
export async function up(db: Kysely<unknown>, { id, int, blob, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE sign_in_codes (
      id ${id},
      purpose TEXT NOT NULL,
      email TEXT NOT NULL,
      browser_hash ${blob} NOT NULL,
      client_hash ${blob} NOT NULL,
      code_hash ${blob},
      tries ${int} NOT NULL DEFAULT 0,
      created_at ${int} NOT NULL,
      expires_at ${int} NOT NULL,
      used_at ${int}
    ) ${strict}`,
    'CREATE INDEX sign_in_codes_by_browser ON sign_in_codes (browser_hash, purpose, id)',
    'CREATE INDEX sign_in_codes_by_email ON sign_in_codes (email, purpose, created_at)',
    'CREATE INDEX sign_in_codes_by_client ON sign_in_codes (client_hash, purpose, created_at)',
    'CREATE INDEX sign_in_codes_by_age ON sign_in_codes (created_at)',
    "INSERT INTO counters (name, value) VALUES ('sign_in_lock', 0)",
    `CREATE TABLE fresh_sessions (
      session_id ${int} PRIMARY KEY REFERENCES sessions (id),
      until ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE mails (
      id ${id},
      recipient TEXT NOT NULL,
      about TEXT NOT NULL,
      code_id ${int},
      detail TEXT,
      created_at ${int} NOT NULL,
      due_at ${int} NOT NULL,
      tries ${int} NOT NULL DEFAULT 0
    ) ${strict}`,
    'CREATE INDEX mails_due ON mails (due_at, id)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
