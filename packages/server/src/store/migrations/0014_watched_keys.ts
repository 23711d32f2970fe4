import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Until when (Unix seconds) the invoices of an account keep a key watched, to limit the keys that one account has watched.
 * A lock counts the keys of all accounts.
 */
export async function up(db: Kysely<unknown>, { int }: Dialect): Promise<void> {
  const statements = [
    `ALTER TABLE account_viewing_keys ADD COLUMN watch_until ${int} NOT NULL DEFAULT 0`,
    `UPDATE account_viewing_keys SET watch_until =
      (SELECT viewing_keys.watch_until FROM viewing_keys WHERE viewing_keys.id = account_viewing_keys.viewing_key_id)
      WHERE EXISTS (SELECT 1 FROM invoices WHERE invoices.viewing_key_id = account_viewing_keys.viewing_key_id
        AND invoices.account_id = account_viewing_keys.account_id)`,
    "INSERT INTO counters (name, value) VALUES ('watched_keys_lock', 0)",
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
