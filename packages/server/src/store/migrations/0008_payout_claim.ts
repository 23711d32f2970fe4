import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * The provider that is paying an order, since when, and which side closed the order: `operator` or `provider`. All are
 * null for existing orders, none of which is being paid during a migration.
 *
 * `deposit_key` is a swap's deposit address and memo; it is unique. Where existing swaps share one, the oldest gets it
 * and the others get null, so that the migration succeeds on every database.
 */
export async function up(db: Kysely<unknown>, { int }: Dialect): Promise<void> {
  const statements = [
    'ALTER TABLE withdrawals ADD COLUMN paying_provider TEXT',
    `ALTER TABLE withdrawals ADD COLUMN paying_since ${int}`,
    'ALTER TABLE withdrawals ADD COLUMN closed_by TEXT',
    'ALTER TABLE swaps ADD COLUMN deposit_key TEXT',
    `UPDATE swaps SET deposit_key = deposit_address || ' ' || coalesce(deposit_memo, '')
      WHERE id IN (SELECT min(id) FROM swaps GROUP BY deposit_address, coalesce(deposit_memo, ''))`,
    'CREATE UNIQUE INDEX swaps_by_deposit ON swaps (deposit_key)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
