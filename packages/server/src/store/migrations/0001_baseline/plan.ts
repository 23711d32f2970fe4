import type { Dialect } from '../../dialect.ts'

/**
 * Created invoices by month, purchases of plans, and sent renewal reminders. A purchase has the id of the operator's
 * invoice that it belongs to.
 */
export function planTables({ int, strict }: Dialect): string[] {
  return [
    `CREATE TABLE monthly_usage (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      month TEXT NOT NULL,
      used ${int} NOT NULL,
      PRIMARY KEY (account_id, month)
    ) ${strict}`,
    `CREATE TABLE plan_purchases (
      invoice_id ${int} PRIMARY KEY REFERENCES invoices (id),
      account_id ${int} NOT NULL REFERENCES accounts (id),
      plan TEXT NOT NULL,
      price_zat ${int} NOT NULL,
      period_days ${int} NOT NULL,
      status TEXT NOT NULL,
      decided_at ${int},
      granted_until ${int},
      created_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX plan_purchases_by_account ON plan_purchases (account_id, invoice_id)',
    "CREATE INDEX plan_purchases_attention ON plan_purchases (invoice_id) WHERE status = 'needs_attention'",
    `CREATE TABLE plan_announcements (
      account_id ${int} PRIMARY KEY REFERENCES accounts (id),
      plan_expires_at ${int} NOT NULL
    ) ${strict}`,
  ]
}
