import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Swaps that never had a deposit are deleted some time after their last poll. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      "CREATE INDEX swaps_abandoned ON swaps (created_at) WHERE next_look_at_ms IS NULL AND status = 'PENDING_DEPOSIT'",
    )
    .execute(db)
}
