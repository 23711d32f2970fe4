import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * When the viewing key that an account makes invoices under expires: after a time (Unix seconds), above a height, or
 * null for no such limit. It stands with the account, not with the key: one key may be given with and without a limit.
 */
export async function up(db: Kysely<unknown>, { int }: Dialect): Promise<void> {
  for (const column of ['viewing_key_expires_at', 'viewing_key_expiry_height']) {
    await sql.raw(`ALTER TABLE accounts ADD COLUMN ${column} ${int}`).execute(db)
  }
}
