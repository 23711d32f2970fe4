import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Which provider is paying an order, since when, and who closed the order: `operator` or `provider`. All null for
 * orders of before, none of which is being paid while a migration runs.
 *
 * `deposit_key` is a swap's deposit address and memo, used once. Where earlier swaps share one, the oldest has it and
 * the rest have null, so that no database is refused.
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
