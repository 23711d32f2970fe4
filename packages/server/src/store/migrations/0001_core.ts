import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Accounts, keys, invoices, payments, the chain's headers and the events. The dialect fills in
 * the parts that differ between the two databases.
 */
export async function up(db: Kysely<unknown>, { id, int, blob, strict }: Dialect): Promise<void> {
  const statements = [
    `CREATE TABLE viewing_keys (
      id ${id},
      fingerprint ${blob} NOT NULL UNIQUE,
      network TEXT NOT NULL,
      sealed ${blob} NOT NULL,
      next_index ${int} NOT NULL,
      watch_until ${int} NOT NULL DEFAULT 0,
      created_at ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE accounts (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      email TEXT NOT NULL UNIQUE,
      network TEXT NOT NULL,
      confirmations ${int} NOT NULL,
      plan TEXT NOT NULL,
      plan_expires_at ${int},
      viewing_key_id ${int} REFERENCES viewing_keys (id),
      created_at ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE api_keys (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      name TEXT NOT NULL,
      last4 TEXT NOT NULL,
      hash ${blob} NOT NULL UNIQUE,
      created_at ${int} NOT NULL,
      last_used_at ${int},
      revoked_at ${int}
    ) ${strict}`,
    'CREATE INDEX api_keys_by_account ON api_keys (account_id, id)',
    `CREATE TABLE sessions (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      label TEXT NOT NULL,
      hash ${blob} NOT NULL UNIQUE,
      created_at ${int} NOT NULL,
      expires_at ${int} NOT NULL,
      last_used_at ${int},
      ended_at ${int}
    ) ${strict}`,
    'CREATE INDEX sessions_by_account ON sessions (account_id, id)',
    `CREATE TABLE monthly_usage (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      month TEXT NOT NULL,
      used ${int} NOT NULL,
      PRIMARY KEY (account_id, month)
    ) ${strict}`,
    `CREATE TABLE invoices (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      viewing_key_id ${int} NOT NULL REFERENCES viewing_keys (id),
      diversifier_index ${int} NOT NULL,
      purpose TEXT NOT NULL,
      address TEXT NOT NULL,
      amount_zat ${int} NOT NULL,
      confirmations ${int} NOT NULL,
      status TEXT NOT NULL,
      received_zat ${int} NOT NULL,
      overpaid_zat ${int} NOT NULL,
      txid TEXT,
      created_at ${int} NOT NULL,
      expires_at ${int} NOT NULL,
      watch_until ${int} NOT NULL,
      paid_at ${int},
      swap_under_way ${int} NOT NULL DEFAULT 0,
      needs_attention ${int} NOT NULL DEFAULT 0,
      UNIQUE (viewing_key_id, diversifier_index)
    ) ${strict}`,
    'CREATE INDEX invoices_by_account ON invoices (account_id, id)',
    "CREATE INDEX invoices_due ON invoices (expires_at, id) WHERE status = 'pending' AND swap_under_way = 0",
    "CREATE INDEX invoices_settling ON invoices (id) WHERE status <> 'paid' AND received_zat >= amount_zat",
    `CREATE TABLE payments (
      id ${id},
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      txid TEXT NOT NULL,
      pool TEXT NOT NULL,
      output_index ${int} NOT NULL,
      value_zat ${int} NOT NULL,
      place TEXT NOT NULL,
      height ${int},
      expiry_height ${int},
      seen_at ${int} NOT NULL,
      UNIQUE (txid, pool, output_index)
    ) ${strict}`,
    'CREATE INDEX payments_by_invoice ON payments (invoice_id)',
    'CREATE INDEX payments_by_height ON payments (height)',
    "CREATE INDEX payments_in_mempool ON payments (id) WHERE place = 'mempool'",
    `CREATE TABLE idempotency_keys (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      key TEXT NOT NULL,
      body_hash ${blob} NOT NULL,
      invoice_public_id TEXT NOT NULL,
      created_at ${int} NOT NULL,
      PRIMARY KEY (account_id, key)
    ) ${strict}`,
    'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)',
    `CREATE TABLE headers (
      height ${int} PRIMARY KEY,
      hash TEXT NOT NULL,
      prev_hash TEXT NOT NULL,
      time ${int} NOT NULL,
      sapling_size ${int} NOT NULL,
      orchard_size ${int} NOT NULL,
      ironwood_size ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE counters (
      name TEXT PRIMARY KEY,
      value ${int} NOT NULL
    ) ${strict}`,
    "INSERT INTO counters (name, value) VALUES ('event_seq', 0), ('seen_through', 0)",
    `CREATE TABLE events (
      seq ${int} PRIMARY KEY,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      invoice_id ${int} REFERENCES invoices (id),
      type TEXT,
      body TEXT,
      created_at ${int} NOT NULL
    ) ${strict}`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
