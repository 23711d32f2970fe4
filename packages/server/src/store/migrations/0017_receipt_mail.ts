import type { Dialect } from '../dialect.ts'

/**
 * A mail with a receipt has its subject here, its text in `detail`, and in `notice_to` a keyed hash of receipt and address,
 * which alone is kept for a minute after it was sent. `receipt_mails` counts them, the `nth` of each invoice.
 */
export function receiptMailMigration({ int, strict }: Dialect): string[] {
  return [
    'ALTER TABLE mails ADD COLUMN subject TEXT',
    `CREATE TABLE receipt_mails (
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      nth ${int} NOT NULL,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      queued_at ${int} NOT NULL,
      PRIMARY KEY (invoice_id, nth)
    ) ${strict}`,
    'CREATE INDEX receipt_mails_by_account ON receipt_mails (account_id, queued_at)',
  ]
}
