import type { Dialect } from '../../dialect.ts'

/**
 * - `accounts`: the expiry of a viewing key is stored here, since the same key may be given with and without one. The row
 *   of a deleted account stays, for the invoices that refer to it: `erased_at` is when its personal data were deleted.
 * - `viewing_keys.sealed` is empty once the key is deleted; the row keeps the counter of its addresses.
 * - `account_viewing_keys.watch_until`: until when the invoices of this account keep the key watched.
 * - `sessions.origin`: where a session began.
 * - `sign_in_codes` count by browser, email, client and wider IPv6 networks; `sign_in_budgets` limit all clients together.
 * - `email_changes` can be undone by the previous address. `token_hash` is null until the link is mailed.
 */
export function accountTables({ id, int, blob, strict }: Dialect): string[] {
  return [
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
      viewing_key_expires_at ${int},
      viewing_key_expiry_height ${int},
      created_at ${int} NOT NULL,
      deletion_requested_at ${int},
      erased_at ${int},
      browsers_known_from ${int} NOT NULL DEFAULT 0
    ) ${strict}`,
    'CREATE INDEX accounts_by_plan_end ON accounts (plan_expires_at) WHERE plan_expires_at IS NOT NULL',
    'CREATE INDEX accounts_being_deleted ON accounts (id) WHERE deletion_requested_at IS NOT NULL',
    `CREATE TABLE account_viewing_keys (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      viewing_key_id ${int} NOT NULL REFERENCES viewing_keys (id),
      watch_until ${int} NOT NULL DEFAULT 0,
      PRIMARY KEY (account_id, viewing_key_id)
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
    'CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL',
    `CREATE TABLE sessions (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      label TEXT NOT NULL,
      hash ${blob} NOT NULL UNIQUE,
      created_at ${int} NOT NULL,
      expires_at ${int} NOT NULL,
      last_used_at ${int},
      ended_at ${int},
      origin TEXT NOT NULL
    ) ${strict}`,
    'CREATE INDEX sessions_by_account ON sessions (account_id, id)',
    'CREATE INDEX sessions_by_expiry ON sessions (expires_at)',
    `CREATE TABLE recent_authentications (
      session_id ${int} PRIMARY KEY REFERENCES sessions (id),
      until ${int} NOT NULL
    ) ${strict}`,
    `CREATE TABLE sign_in_codes (
      id ${id},
      purpose TEXT NOT NULL,
      email TEXT NOT NULL,
      browser_hash ${blob} NOT NULL,
      client_hash ${blob} NOT NULL,
      known_browser_hash ${blob},
      network56_hash ${blob},
      network48_hash ${blob},
      code_hash ${blob},
      attempts ${int} NOT NULL DEFAULT 0,
      created_at ${int} NOT NULL,
      expires_at ${int} NOT NULL,
      used_at ${int}
    ) ${strict}`,
    'CREATE INDEX sign_in_codes_by_browser ON sign_in_codes (browser_hash, purpose, id)',
    'CREATE INDEX sign_in_codes_by_email ON sign_in_codes (email, purpose, created_at)',
    'CREATE INDEX sign_in_codes_by_client ON sign_in_codes (client_hash, purpose, created_at)',
    'CREATE INDEX sign_in_codes_by_age ON sign_in_codes (created_at)',
    ...['known_browser_hash', 'network56_hash', 'network48_hash'].map(
      column => `CREATE INDEX sign_in_codes_by_${column} ON sign_in_codes (${column}, purpose, created_at)
        WHERE ${column} IS NOT NULL`,
    ),
    `CREATE TABLE sign_in_budgets (
      name TEXT PRIMARY KEY,
      window_start ${int} NOT NULL,
      used ${int} NOT NULL
    ) ${strict}`,
    `INSERT INTO sign_in_budgets (name, window_start, used) VALUES
      ('browser', 0, 0), ('account', 0, 0), ('unknown', 0, 0), ('requests', 0, 0), ('wrong_codes', 0, 0)`,
    `CREATE TABLE email_changes (
      id ${id},
      account_id ${int} NOT NULL REFERENCES accounts (id),
      previous_email TEXT NOT NULL,
      token_hash ${blob},
      created_at ${int} NOT NULL,
      undo_until ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX email_changes_by_account ON email_changes (account_id, id)',
    'CREATE INDEX email_changes_by_email ON email_changes (previous_email)',
    'CREATE UNIQUE INDEX email_changes_by_token ON email_changes (token_hash)',
    'CREATE INDEX email_changes_by_age ON email_changes (undo_until)',
    `CREATE TABLE audit_entries (
      id ${id},
      account_id ${int} REFERENCES accounts (id),
      kind TEXT NOT NULL,
      actor TEXT NOT NULL,
      session TEXT,
      network TEXT,
      client TEXT,
      detail TEXT,
      created_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX audit_entries_by_account ON audit_entries (account_id, id)',
    'CREATE INDEX audit_entries_by_account_time ON audit_entries (account_id, actor, created_at)',
    'CREATE INDEX audit_entries_by_age ON audit_entries (created_at)',
    'CREATE INDEX audit_entries_by_session ON audit_entries (account_id, session, created_at) WHERE session IS NOT NULL',
  ]
}
