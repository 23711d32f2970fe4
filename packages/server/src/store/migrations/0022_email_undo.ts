import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Changes of an email that its previous address can undo, and the mails with the links. From when the browsers that
 * signed in to an account are known to it. An index for counting the changes of a session.
 */
export async function up(db: Kysely<unknown>, { id, int, blob, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE email_changes (
      id ${id},
      account_id ${int} NOT NULL REFERENCES accounts (id),
      previous_email TEXT NOT NULL,
      token_hash ${blob},
      created_at ${int} NOT NULL,
      undo_until ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX email_changes_by_account ON email_changes (account_id, id)',
    'CREATE INDEX email_changes_by_email ON email_changes (previous_email)',
    'CREATE UNIQUE INDEX email_changes_by_token ON email_changes (token_hash)',
    'CREATE INDEX email_changes_by_age ON email_changes (undo_until)',
    `ALTER TABLE mails ADD COLUMN email_change_id ${int}`,
    `ALTER TABLE accounts ADD COLUMN browsers_known_from ${int} NOT NULL DEFAULT 0`,
    'CREATE INDEX audit_entries_by_session ON audit_entries (account_id, session, created_at) WHERE session IS NOT NULL',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
