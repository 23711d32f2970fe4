import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Indexes that keep the dashboard's lists, figures and export fast at a million invoices. Lists are ordered by time, so
 * that a period is a range of the same index. The partial indexes cost nothing when an invoice is created.
 */
export async function up(db: Kysely<unknown>, { int, strict }: Dialect): Promise<void> {
  const statements = [
    'DROP INDEX invoices_by_account',
    'CREATE INDEX invoices_by_time ON invoices (account_id, created_at, id)',
    'CREATE INDEX invoices_by_status ON invoices (account_id, status, created_at, id)',
    'CREATE INDEX invoices_paid ON invoices (account_id, paid_at, received_zat, purpose) WHERE paid_at IS NOT NULL',
    'CREATE INDEX invoices_needing_attention ON invoices (account_id, id) WHERE needs_attention = 1',
    `CREATE TABLE account_viewing_keys (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      viewing_key_id ${int} NOT NULL REFERENCES viewing_keys (id),
      PRIMARY KEY (account_id, viewing_key_id)
    ) ${strict}`,
    `INSERT INTO account_viewing_keys (account_id, viewing_key_id)
      SELECT id, viewing_key_id FROM accounts WHERE viewing_key_id IS NOT NULL`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
