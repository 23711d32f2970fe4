import type { Dialect } from '../dialect.ts'

/**
 * How the store of an account appears to its buyers, and the defaults of its invoices. An account without a row has set
 * nothing. The bytes of the logo are in a separate table, so that reads of the profile do not load them.
 */
export function storeProfileMigration({ int, blob, strict }: Dialect): string[] {
  return [
    `CREATE TABLE stores (
      account_id ${int} PRIMARY KEY REFERENCES accounts (id),
      name TEXT,
      logo TEXT,
      accent TEXT,
      support TEXT,
      website TEXT,
      locale TEXT,
      currency TEXT,
      expires_in_secs ${int},
      after_payment TEXT,
      frame_origins TEXT
    ) ${strict}`,
    `CREATE TABLE store_logos (
      account_id ${int} PRIMARY KEY REFERENCES accounts (id),
      hash TEXT NOT NULL,
      image ${blob} NOT NULL
    ) ${strict}`,
    'CREATE INDEX store_logos_by_hash ON store_logos (hash)',
  ]
}
