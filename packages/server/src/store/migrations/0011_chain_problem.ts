import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * The current problems of the chain source, one row each, for the processes that do not sync the chain. `detail` is the
 * name of an upgrade or a number of blocks.
 */
export async function up(db: Kysely<unknown>, { int, strict }: Dialect): Promise<void> {
  await sql
    .raw(
      `CREATE TABLE chain_problems (
        problem TEXT PRIMARY KEY,
        detail TEXT,
        since ${int} NOT NULL
      ) ${strict}`,
    )
    .execute(db)
}
