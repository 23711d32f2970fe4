import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * When an owner asked to delete the account, and when its personal data were deleted (Unix seconds). The row stays, for the
 * invoices that refer to it. A viewing key without `sealed` is deleted; its row keeps the counter of its addresses.
 */
export async function up(db: Kysely<unknown>, { int }: Dialect): Promise<void> {
  const statements = [
    `ALTER TABLE accounts ADD COLUMN deletion_requested_at ${int}`,
    `ALTER TABLE accounts ADD COLUMN erased_at ${int}`,
    'CREATE INDEX accounts_being_deleted ON accounts (id) WHERE deletion_requested_at IS NOT NULL',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
