import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Swap starts are counted over all invoices, and old ones are deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('CREATE INDEX swap_starts_by_time ON swap_starts (at)').execute(db)
}
