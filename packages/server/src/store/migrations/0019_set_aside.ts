import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Rows that background work leaves out, because the work fails for this row alone. `reference` identifies the row, also
 * where its id is given to another one. `from_height` is the first block that was not scanned with a viewing key.
 * `account_id` has no foreign key, since checking one would lock the account.
 */
export async function up(db: Kysely<unknown>, { int, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE set_aside (
      kind TEXT NOT NULL,
      reference TEXT NOT NULL,
      row_id ${int},
      account_id ${int},
      error TEXT NOT NULL,
      failures ${int} NOT NULL,
      first_at ${int} NOT NULL,
      next_attempt_at ${int} NOT NULL,
      from_height ${int},
      PRIMARY KEY (kind, reference)
    ) ${strict}`,
    'CREATE INDEX set_aside_due ON set_aside (kind, next_attempt_at)',
    'CREATE INDEX set_aside_by_row ON set_aside (kind, row_id)',
    'CREATE INDEX set_aside_by_account ON set_aside (account_id, kind)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
