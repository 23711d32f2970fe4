import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * The payments of an invoice by block, so that their number does not slow its evaluation. `height` is -1 for the mempool;
 * dropped payments have no total, and no total is 0. `awaiting_zat` is the part that a rescan has found and no second chain
 * server has shown. A total changes with its payments, under the lock of the invoice.
 *
 * `invoices.confirms_at_height` is the height from which on the full amount of an unpaid invoice may be confirmed. All
 * waiting invoices begin with 0, so that the first sync evaluates them.
 */
export async function up(db: Kysely<unknown>, { int, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE payment_totals (
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      height ${int} NOT NULL,
      value_zat ${int} NOT NULL CHECK (value_zat >= 0),
      awaiting_zat ${int} NOT NULL DEFAULT 0 CHECK (awaiting_zat BETWEEN 0 AND value_zat),
      PRIMARY KEY (invoice_id, height)
    ) ${strict}`,
    'CREATE INDEX payment_totals_by_height ON payment_totals (height, invoice_id)',
    `INSERT INTO payment_totals (invoice_id, height, value_zat)
      SELECT invoice_id, CASE place WHEN 'mined' THEN height ELSE -1 END, sum(value_zat)
      FROM payments WHERE place <> 'dropped' GROUP BY 1, 2`,
    'DROP INDEX payments_by_invoice',
    'DROP INDEX payments_by_height',
    'DROP INDEX payments_in_mempool',
    "CREATE INDEX payments_live ON payments (invoice_id, id) WHERE place <> 'dropped'",
    'CREATE INDEX payments_by_height ON payments (height) WHERE height IS NOT NULL',
    "CREATE INDEX payments_in_mempool ON payments (invoice_id, id) WHERE place = 'mempool'",
    "CREATE INDEX payments_expiring ON payments (expiry_height) WHERE place = 'mempool' AND expiry_height > 0",
    `CREATE INDEX payments_missing ON payments (missing_height)
      WHERE place = 'mempool' AND missing_height IS NOT NULL`,
    "CREATE INDEX payments_dropped ON payments (invoice_id, id) WHERE place = 'dropped'",
    `CREATE INDEX payments_dropped_expiry ON payments (invoice_id, expiry_height)
      WHERE place = 'dropped' AND expiry_height IS NOT NULL`,
    `CREATE INDEX payments_dropped_last_seen ON payments (invoice_id, last_seen_height)
      WHERE place = 'dropped' AND expiry_height IS NULL`,
    "CREATE INDEX payments_dropped_by_age ON payments (seen_at) WHERE place = 'dropped'",
    `ALTER TABLE invoices ADD COLUMN confirms_at_height ${int}`,
    "UPDATE invoices SET confirms_at_height = 0 WHERE status <> 'paid' AND received_zat >= amount_zat",
    'DROP INDEX invoices_settling',
    'CREATE INDEX invoices_confirming ON invoices (confirms_at_height, id) WHERE confirms_at_height IS NOT NULL',
    'CREATE INDEX deliveries_ended ON deliveries (created_at) WHERE due_at_ms IS NULL',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
