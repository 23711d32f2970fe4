import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * What belongs to an invoice, and what has left the mempool, is decided by the position in the chain and by what
 * servers have shown, not by comparing clocks.
 *
 * `chain_lock` is the row that every transaction that writes what the chain shows locks first. `missing_since` and
 * `missing_height` say since when complete readings of the mempool lack an unmined payment, and the last block then.
 * A row of `rewinds` says down to which height blocks were taken back when which invoices existed already.
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
