import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The provider's report of a deposit, in smallest units, and indexes for the list of overpaid invoices and for the newest ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    'ALTER TABLE swaps ADD COLUMN deposited_amount TEXT',
    'ALTER TABLE swaps ADD COLUMN refunded_amount TEXT',
    'ALTER TABLE swaps ADD COLUMN refund_reason TEXT',
    'CREATE INDEX invoices_overpaid ON invoices (account_id, id) WHERE overpaid_zat > 0',
    'CREATE INDEX invoices_overpaid_by_time ON invoices (account_id, paid_at) WHERE overpaid_zat > 0',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
