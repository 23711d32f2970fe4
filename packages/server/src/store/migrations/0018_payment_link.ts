import type { Dialect } from '../dialect.ts'

/**
 * `payment_links`: reusable pages from which buyers create invoices. `paid_count` and `paid_zat` change in the transaction
 * in which an invoice becomes paid, or receives more.
 * `link_invoices`: how an invoice of a link came about.
 * - `client`: keyed hash of the client's address; null after an hour, and for a keypad.
 * - `counted_at`: when the invoice was counted in the plan of its account; null: not yet.
 */
export function paymentLinkMigration({ id, int, blob, strict }: Dialect): string[] {
  return [
    `CREATE TABLE payment_links (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      title TEXT NOT NULL,
      description TEXT,
      currency TEXT NOT NULL,
      amount TEXT,
      min_amount TEXT,
      suggested_amounts TEXT NOT NULL,
      stock ${int},
      ends_at ${int},
      fields TEXT NOT NULL,
      success_url TEXT,
      paused_at ${int},
      keypad_hash ${blob},
      paid_count ${int} NOT NULL DEFAULT 0,
      paid_zat ${int} NOT NULL DEFAULT 0,
      created_at ${int} NOT NULL,
      updated_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX payment_links_by_account ON payment_links (account_id, id)',
    'CREATE UNIQUE INDEX payment_links_by_keypad ON payment_links (keypad_hash) WHERE keypad_hash IS NOT NULL',
    'ALTER TABLE invoices ADD COLUMN link_id TEXT',
    `CREATE INDEX invoices_open_of_links ON invoices (account_id, link_id)
      WHERE link_id IS NOT NULL AND status IN ('pending', 'detected')`,
    `CREATE TABLE link_invoices (
      invoice_id ${int} PRIMARY KEY REFERENCES invoices (id),
      account_id ${int} NOT NULL,
      source TEXT NOT NULL,
      client ${blob},
      counted_at ${int}
    ) ${strict}`,
    'CREATE INDEX link_invoices_by_client ON link_invoices (account_id, client)',
  ]
}
