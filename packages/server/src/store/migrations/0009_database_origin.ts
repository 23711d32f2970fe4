import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** One row: the identity of the database that the address counters belong to. Empty until it is recorded. */
export async function up(db: Kysely<unknown>, { int, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE database_origin (
      id ${int} PRIMARY KEY CHECK (id = 1),
      identity TEXT NOT NULL
    ) ${strict}`,
    "INSERT INTO database_origin (id, identity) VALUES (1, '')",
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
