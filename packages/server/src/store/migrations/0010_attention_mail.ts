import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * The time since which an invoice needs attention, and the mail about such invoices. At most one such mail is queued for
 * an account. The time of the last one sent is recorded.
 */
export async function up(db: Kysely<unknown>, { int, strict }: Dialect): Promise<void> {
  const statements = [
    `ALTER TABLE invoices ADD COLUMN attention_since ${int}`,
    `ALTER TABLE mails ADD COLUMN account_id ${int} REFERENCES accounts (id)`,
    'CREATE UNIQUE INDEX mails_by_account ON mails (account_id) WHERE account_id IS NOT NULL',
    `CREATE TABLE attention_mails (
      account_id ${int} PRIMARY KEY REFERENCES accounts (id),
      changes ${int} NOT NULL,
      last_sent_at ${int}
    ) ${strict}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
