import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Plan purchases, sent renewal reminders, and withdrawals. Each purchase and withdrawal has the id of the operator's
 * invoice that it belongs to.
 */
export async function up(db: Kysely<unknown>, { int, blob, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE plan_purchases (
      invoice_id ${int} PRIMARY KEY REFERENCES invoices (id),
      account_id ${int} NOT NULL REFERENCES accounts (id),
      plan TEXT NOT NULL,
      price_zat ${int} NOT NULL,
      period_days ${int} NOT NULL,
      status TEXT NOT NULL,
      settled_at ${int},
      runs_until ${int},
      created_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX plan_purchases_by_account ON plan_purchases (account_id, invoice_id)',
    "CREATE INDEX plan_purchases_attention ON plan_purchases (invoice_id) WHERE status = 'needs_attention'",
    `CREATE TABLE plan_announcements (
      account_id ${int} PRIMARY KEY REFERENCES accounts (id),
      plan_expires_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX accounts_by_plan_end ON accounts (plan_expires_at) WHERE plan_expires_at IS NOT NULL',
    `CREATE TABLE withdrawals (
      invoice_id ${int} PRIMARY KEY REFERENCES invoices (id),
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      status TEXT NOT NULL,
      amount_zat ${int} NOT NULL,
      received_zat ${int} NOT NULL,
      closed_at_zat ${int},
      fiat_currency TEXT NOT NULL,
      fiat_amount TEXT NOT NULL,
      rate TEXT NOT NULL,
      payout_to ${blob} NOT NULL,
      payout_due_at ${int},
      reference TEXT,
      reason TEXT,
      created_at ${int} NOT NULL,
      updated_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX withdrawals_by_account ON withdrawals (account_id, invoice_id)',
    'CREATE INDEX withdrawals_by_status ON withdrawals (status, invoice_id)',
    'CREATE INDEX withdrawals_payout_due ON withdrawals (payout_due_at) WHERE payout_due_at IS NOT NULL',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
