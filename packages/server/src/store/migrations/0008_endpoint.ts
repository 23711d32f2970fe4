import type { Dialect } from '../dialect.ts'

/**
 * Endpoints beside the account's webhook. Each follows the events of its account: `cursor_seq` is the last one that it has
 * begun or passed. A delivery is written when its first attempt begins.
 * - `endpoints.due_at_ms` is when to look for something to send; null: after the next event.
 * - `endpoints.failures` to `retry_at_ms` describe the failures since the last success, see `domain/notify/endpoint-progress`.
 * - `endpoints.removed_at`: the row stays for as long as deliveries refer to it.
 * - `event_counters.followed`: the account has had endpoints. `has_news`: they are to be woken.
 * - `deliveries.endpoint_due_at_ms` takes the place of `due_at_ms` in those of endpoints. `passed`: a later event was
 *   delivered while this one failed, so that it holds up none.
 */
export function endpointMigration({ name, id, int, blob, strict }: Dialect): string[] {
  const attempts = `delivery_id ${int} NOT NULL REFERENCES deliveries (id),
      account_id ${int} NOT NULL,
      invoice_id ${int},
      url TEXT NOT NULL,
      attempt ${int} NOT NULL,
      status_code ${int},
      error TEXT,
      duration_ms ${int},
      response TEXT,
      created_at ${int} NOT NULL,
      request_headers TEXT,
      response_headers TEXT,
      UNIQUE (delivery_id, attempt)`
  const columns =
    'id, public_id, delivery_id, account_id, invoice_id, url, attempt, status_code, error, duration_ms, response, created_at'
  return [
    `CREATE TABLE endpoints (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      url TEXT NOT NULL,
      types TEXT,
      schedule TEXT NOT NULL,
      enabled ${int} NOT NULL,
      secret ${blob} NOT NULL,
      earlier_secret ${blob},
      earlier_secret_until ${int},
      cursor_seq ${int} NOT NULL,
      due_at_ms ${int},
      failures ${int} NOT NULL DEFAULT 0,
      is_probing ${int} NOT NULL DEFAULT 0,
      failing_since ${int},
      retry_at_ms ${int},
      paused_at ${int},
      created_at ${int} NOT NULL,
      updated_at ${int} NOT NULL,
      removed_at ${int}
    ) ${strict}`,
    'CREATE INDEX endpoints_by_account ON endpoints (account_id, id) WHERE removed_at IS NULL',
    'CREATE INDEX endpoints_removed ON endpoints (removed_at) WHERE removed_at IS NOT NULL',
    'CREATE INDEX endpoints_due ON endpoints (due_at_ms) WHERE due_at_ms IS NOT NULL',
    'CREATE INDEX endpoints_due_sound ON endpoints (due_at_ms) WHERE due_at_ms IS NOT NULL AND failing_since IS NULL',
    `ALTER TABLE event_counters ADD COLUMN followed ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE event_counters ADD COLUMN has_news ${int} NOT NULL DEFAULT 0`,
    'CREATE INDEX event_counters_news ON event_counters (account_id) WHERE has_news = 1',
    `ALTER TABLE deliveries ADD COLUMN endpoint_id ${int} REFERENCES endpoints (id)`,
    `ALTER TABLE deliveries ADD COLUMN endpoint_due_at_ms ${int}`,
    `ALTER TABLE deliveries ADD COLUMN passed ${int} NOT NULL DEFAULT 0`,
    `CREATE INDEX deliveries_open_of_endpoint ON deliveries (endpoint_id, event_seq, id)
      WHERE endpoint_due_at_ms IS NOT NULL`,
    'CREATE INDEX deliveries_of_endpoint ON deliveries (endpoint_id, event_seq) WHERE endpoint_id IS NOT NULL',
    'DROP INDEX deliveries_failed',
    `CREATE INDEX deliveries_failed ON deliveries (account_id, id)
      WHERE state = 'failed' AND resent_at IS NULL AND event_type <> 'test' AND endpoint_id IS NULL`,
    `CREATE INDEX deliveries_failed_of_endpoint ON deliveries (endpoint_id, id)
      WHERE state = 'failed' AND resent_at IS NULL AND event_type <> 'test'`,
    // An endpoint makes more than the four attempts that the table allows.
    ...(name === 'postgres'
      ? [
          'ALTER TABLE delivery_attempts DROP CONSTRAINT delivery_attempts_attempt_check',
          'ALTER TABLE delivery_attempts ADD COLUMN request_headers TEXT',
          'ALTER TABLE delivery_attempts ADD COLUMN response_headers TEXT',
        ]
      : [
          `CREATE TABLE later_attempts (id ${id}, public_id TEXT NOT NULL UNIQUE, ${attempts}) ${strict}`,
          `INSERT INTO later_attempts (${columns}) SELECT ${columns} FROM delivery_attempts`,
          'DROP TABLE delivery_attempts',
          'ALTER TABLE later_attempts RENAME TO delivery_attempts',
          'CREATE INDEX delivery_attempts_by_account ON delivery_attempts (account_id, id)',
          `CREATE INDEX delivery_attempts_by_invoice ON delivery_attempts (invoice_id, id)
            WHERE invoice_id IS NOT NULL`,
        ]),
  ]
}
