import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * The expiry of the account's current viewing key: a time (Unix seconds), a height, or null for no limit. Stored with
 * the account, not with the key, since the same key may be given with and without a limit.
 */
export async function up(db: Kysely<unknown>, { int }: Dialect): Promise<void> {
  for (const column of ['viewing_key_expires_at', 'viewing_key_expiry_height']) {
    await sql.raw(`ALTER TABLE accounts ADD COLUMN ${column} ${int}`).execute(db)
  }
}
