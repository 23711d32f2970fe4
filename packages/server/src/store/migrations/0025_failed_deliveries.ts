import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** When a failed delivery was sent again as a new one, and indexes for the dashboard's list of deliveries. */
export async function up(db: Kysely<unknown>, { int }: Dialect): Promise<void> {
  const statements = [
    `ALTER TABLE deliveries ADD COLUMN resent_at ${int}`,
    'CREATE INDEX deliveries_by_account ON deliveries (account_id, id)',
    `CREATE INDEX deliveries_failed ON deliveries (account_id, id)
      WHERE state = 'failed' AND resent_at IS NULL AND event_type <> 'test'`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
