import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Swaps and the starts that count against the limit.
 *
 * Amounts of other assets are decimal text, since they may exceed 64 bits. `next_look_at_ms` is the time of the next poll,
 * null once a swap needs no more polls. Claiming a swap moves it ahead, so that it is both schedule and lease.
 */
export async function up(db: Kysely<unknown>, { id, int, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE swaps (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      asset_id TEXT NOT NULL,
      symbol TEXT NOT NULL,
      blockchain TEXT NOT NULL,
      decimals ${int} NOT NULL,
      refund_to TEXT NOT NULL,
      deposit_address TEXT NOT NULL,
      deposit_memo TEXT,
      amount_in TEXT NOT NULL,
      min_amount_in TEXT NOT NULL,
      amount_in_usd TEXT NOT NULL,
      time_estimate ${int} NOT NULL,
      deadline ${int} NOT NULL,
      quote_deadline ${int} NOT NULL,
      quote_raw TEXT NOT NULL,
      created_at ${int} NOT NULL,
      replaced_at ${int},
      status TEXT NOT NULL DEFAULT 'PENDING_DEPOSIT',
      word TEXT NOT NULL DEFAULT '',
      updated_at_ms ${int} NOT NULL DEFAULT 0,
      status_raw TEXT,
      heard_at ${int},
      deposit_seen_at ${int},
      success_at ${int},
      told TEXT NOT NULL DEFAULT '',
      failures ${int} NOT NULL DEFAULT 0,
      holds ${int} NOT NULL DEFAULT 1,
      needs_attention ${int} NOT NULL DEFAULT 0,
      next_look_at_ms ${int}
    ) ${strict}`,
    'CREATE INDEX swaps_by_invoice ON swaps (invoice_id, id)',
    'CREATE INDEX swaps_due ON swaps (next_look_at_ms) WHERE next_look_at_ms IS NOT NULL',
    'CREATE INDEX swaps_needing_attention ON swaps (id) WHERE needs_attention = 1',
    `CREATE TABLE swap_starts (
      id ${id},
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX swap_starts_by_invoice ON swap_starts (invoice_id, at)',
    `ALTER TABLE invoices ADD COLUMN swap_id ${int}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
