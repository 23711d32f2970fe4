import type { Dialect } from '../../dialect.ts'

/** A withdrawal has the id of the operator's invoice that it belongs to. */
export function payoutTables({ int, blob, strict }: Dialect): string[] {
  return [
    `CREATE TABLE withdrawals (
      invoice_id ${int} PRIMARY KEY REFERENCES invoices (id),
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      status TEXT NOT NULL,
      amount_zat ${int} NOT NULL,
      received_zat ${int} NOT NULL,
      received_at_close_zat ${int},
      fiat_currency TEXT NOT NULL,
      fiat_amount TEXT NOT NULL,
      rate TEXT NOT NULL,
      payout_to ${blob} NOT NULL,
      reference TEXT,
      reason TEXT,
      created_at ${int} NOT NULL,
      updated_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX withdrawals_by_account ON withdrawals (account_id, invoice_id)',
    'CREATE INDEX withdrawals_by_status ON withdrawals (status, invoice_id)',
  ]
}
