import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * `awaits_witness` is 1 for a payment that a rescan has found and no second chain server has shown yet. `created_rewind` is
 * the newest row of `rewinds` when the invoice was created, read together with `created_height`.
 */
export async function up(db: Kysely<unknown>, { int }: Dialect): Promise<void> {
  const statements = [
    `ALTER TABLE payments ADD COLUMN awaits_witness ${int} NOT NULL DEFAULT 0`,
    "CREATE INDEX payments_awaiting_witness ON payments (height) WHERE awaits_witness = 1 AND place = 'mined'",
    `ALTER TABLE invoices ADD COLUMN created_rewind ${int}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
