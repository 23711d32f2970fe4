import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Which provider is paying an order, since when, and who closed the order: `operator` or `provider`. All null for
 * orders of before, none of which is being paid while a migration runs.
 */
export async function up(db: Kysely<unknown>, { int }: Dialect): Promise<void> {
  const statements = [
    'ALTER TABLE withdrawals ADD COLUMN paying_provider TEXT',
    `ALTER TABLE withdrawals ADD COLUMN paying_since ${int}`,
    'ALTER TABLE withdrawals ADD COLUMN closed_by TEXT',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
