import type { Dialect } from '../../dialect.ts'

/**
 * - `webhooks.due_at_ms` is never later than the first `due_at_ms` of the account's deliveries. The delivery worker finds
 *   the accounts with due deliveries through it, each once.
 * - `deliveries.due_at_ms` is null once a delivery has ended. `invoice_id` has no foreign key, since checking one would
 *   lock the invoice. `resent_at` is when a failed delivery was sent again as a new one.
 * - `mails` has one queue for each kind of code, and one for notices. Notices of one kind to one recipient share a row:
 *   `notice_to` is null in other rows, which may repeat. `events` is their number, and `mailed_events` how many of them
 *   were mailed. At most one mail about missing payments is queued for an account: `account_id` is null in other rows.
 * - `attention_mails.changes` counts the invoices that newly needed attention.
 */
export function notifyTables({ id, int, blob, strict }: Dialect): string[] {
  return [
    `CREATE TABLE events (
      seq ${int} PRIMARY KEY,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      invoice_id ${int} REFERENCES invoices (id),
      type TEXT,
      body TEXT,
      created_at ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE webhooks (
      account_id ${int} PRIMARY KEY REFERENCES accounts (id),
      url TEXT NOT NULL,
      secret ${blob} NOT NULL,
      due_at_ms ${int},
      created_at ${int} NOT NULL,
      updated_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX webhooks_due ON webhooks (due_at_ms) WHERE due_at_ms IS NOT NULL',
    `CREATE TABLE deliveries (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      invoice_id ${int},
      event_type TEXT NOT NULL,
      body TEXT NOT NULL,
      state TEXT NOT NULL,
      attempts ${int} NOT NULL,
      due_at_ms ${int},
      created_at ${int} NOT NULL,
      resent_at ${int}
    ) ${strict}`,
    'CREATE INDEX deliveries_due ON deliveries (account_id, due_at_ms, id) WHERE due_at_ms IS NOT NULL',
    'CREATE INDEX deliveries_ended ON deliveries (created_at) WHERE due_at_ms IS NULL',
    'CREATE INDEX deliveries_by_account ON deliveries (account_id, id)',
    `CREATE INDEX deliveries_failed ON deliveries (account_id, id)
      WHERE state = 'failed' AND resent_at IS NULL AND event_type <> 'test'`,
    `CREATE TABLE delivery_attempts (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      delivery_id ${int} NOT NULL REFERENCES deliveries (id),
      account_id ${int} NOT NULL,
      invoice_id ${int},
      url TEXT NOT NULL,
      attempt ${int} NOT NULL CHECK (attempt BETWEEN 1 AND 4),
      status_code ${int},
      error TEXT,
      duration_ms ${int},
      response TEXT,
      created_at ${int} NOT NULL,
      UNIQUE (delivery_id, attempt)
    ) ${strict}`,
    'CREATE INDEX delivery_attempts_by_account ON delivery_attempts (account_id, id)',
    'CREATE INDEX delivery_attempts_by_invoice ON delivery_attempts (invoice_id, id) WHERE invoice_id IS NOT NULL',
    `CREATE TABLE mails (
      id ${id},
      queue TEXT NOT NULL DEFAULT 'notice',
      recipient TEXT NOT NULL,
      about TEXT NOT NULL,
      code_id ${int},
      account_id ${int} REFERENCES accounts (id),
      email_change_id ${int},
      notice_to TEXT,
      detail TEXT,
      created_at ${int} NOT NULL,
      due_at ${int} NOT NULL,
      attempts ${int} NOT NULL DEFAULT 0,
      events ${int} NOT NULL DEFAULT 1,
      mailed_events ${int} NOT NULL DEFAULT 0,
      last_event_at ${int} NOT NULL DEFAULT 0
    ) ${strict}`,
    'CREATE INDEX mails_due ON mails (queue, due_at, id)',
    'CREATE INDEX mails_waiting ON mails (id) WHERE mailed_events < events',
    'CREATE UNIQUE INDEX mails_by_kind ON mails (notice_to, about)',
    'CREATE UNIQUE INDEX mails_by_account ON mails (account_id) WHERE account_id IS NOT NULL',
    `CREATE TABLE attention_mails (
      account_id ${int} PRIMARY KEY REFERENCES accounts (id),
      changes ${int} NOT NULL,
      last_sent_at ${int}
    ) ${strict}`,
  ]
}
