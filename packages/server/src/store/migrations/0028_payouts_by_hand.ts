import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Payouts are made by hand: no background work handles one, so none is claimed or set aside. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    "DELETE FROM set_aside WHERE kind = 'payout'",
    'DROP INDEX withdrawals_payout_due',
    'ALTER TABLE withdrawals DROP COLUMN payout_due_at',
    'ALTER TABLE withdrawals DROP COLUMN paying_provider',
    'ALTER TABLE withdrawals DROP COLUMN paying_since',
    'ALTER TABLE withdrawals DROP COLUMN closed_by',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
