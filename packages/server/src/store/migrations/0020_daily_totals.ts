import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** The paid sales of an account by UTC day, kept as they change, in place of an index that was summed for each page. */
export async function up(db: Kysely<unknown>, { int, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE daily_totals (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      day ${int} NOT NULL,
      received_zat ${int} NOT NULL,
      invoices ${int} NOT NULL,
      PRIMARY KEY (account_id, day)
    ) ${strict}`,
    `INSERT INTO daily_totals (account_id, day, received_zat, invoices)
      SELECT account_id, paid_at - paid_at % 86400, CAST(sum(received_zat) AS BIGINT), count(*)
      FROM invoices WHERE paid_at IS NOT NULL AND purpose = 'sale' GROUP BY account_id, paid_at - paid_at % 86400`,
    'DROP INDEX invoices_paid',
    'CREATE INDEX mails_waiting ON mails (id) WHERE mailed < events',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
