import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Whether a payment belongs to an invoice, and whether it has left the mempool, is decided by chain position and by the
 * data of the servers, not by comparing clocks.
 *
 * Every transaction that writes chain data locks the row `chain_lock` first. `missing_since` is the time of the first
 * complete mempool snapshot without an unmined payment, `missing_height` the newest block at that time. A row of
 * `rewinds` records the height to which blocks were removed and the newest invoice that existed then.
 */
export async function up(db: Kysely<unknown>, { id, int, strict }: Dialect): Promise<void> {
  const statements = [
    "INSERT INTO counters (name, value) VALUES ('chain_lock', 0)",
    `ALTER TABLE invoices ADD COLUMN created_height ${int}`,
    `ALTER TABLE invoices ADD COLUMN open_until_height ${int}`,
    `ALTER TABLE invoices ADD COLUMN underpaid_at ${int}`,
    `UPDATE invoices SET underpaid_at = expires_at WHERE status = 'underpaid'`,
    `ALTER TABLE payments ADD COLUMN in_snapshot ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE payments ADD COLUMN missing_since ${int}`,
    `ALTER TABLE payments ADD COLUMN missing_height ${int}`,
    `ALTER TABLE payments ADD COLUMN last_seen_height ${int}`,
    `CREATE TABLE rewinds (
      id ${id},
      to_height ${int} NOT NULL,
      newest_invoice_id ${int} NOT NULL
    ) ${strict}`,
    'UPDATE payments SET last_seen_height = coalesce(height, (SELECT max(height) FROM headers))',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
