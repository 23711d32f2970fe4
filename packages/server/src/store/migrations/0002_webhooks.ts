import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Webhooks, their deliveries and the attempts.
 *
 * `webhooks.due_at_ms` is never later than the first `due_at_ms` of the account's deliveries. The delivery worker finds
 * the accounts with due deliveries through it, each once. `deliveries.due_at_ms` is null once a delivery has ended.
 * `invoice_id` has no foreign key, since checking one would lock the invoice.
 */
export async function up(db: Kysely<unknown>, { id, int, blob, strict }: Dialect): Promise<void> {
  const statements = [
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
      created_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX deliveries_due ON deliveries (account_id, due_at_ms, id) WHERE due_at_ms IS NOT NULL',
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
      answer TEXT,
      created_at ${int} NOT NULL,
      UNIQUE (delivery_id, attempt)
    ) ${strict}`,
    'CREATE INDEX delivery_attempts_by_account ON delivery_attempts (account_id, id)',
    'CREATE INDEX delivery_attempts_by_invoice ON delivery_attempts (invoice_id, id) WHERE invoice_id IS NOT NULL',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
