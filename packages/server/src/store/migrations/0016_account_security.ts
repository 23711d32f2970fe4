import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** Where a session began. An earlier session began in a browser if a code was entered in it. */
export async function up(db: Kysely<unknown>, _dialect: Dialect): Promise<void> {
  const statements = [
    "ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT 'script'",
    "UPDATE sessions SET origin = 'browser' WHERE id IN (SELECT session_id FROM fresh_sessions)",
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
