import type { Dialect } from '../dialect.ts'

/**
 * Events apart from the changes of invoices that wake WebSockets. The events of an account are numbered from 1 on, and a
 * delivery refers to its event instead of having a body. `event_counters.pruned_seq` is the newest number that is
 * pruned.
 *
 * `events` has no foreign keys, whose checks are half of the cost of its row on PostgreSQL: its account is that of the
 * counter, which has one, and an invoice is never deleted.
 */
export function eventMigration({ name, int, strict }: Dialect): string[] {
  const uuid =
    name === 'postgres'
      ? 'CAST(gen_random_uuid() AS TEXT)'
      : `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' ||
        substr('89ab', 1 + (random() & 3), 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
  return [
    'ALTER TABLE events RENAME TO earlier_events',
    `CREATE TABLE invoice_changes (
      seq ${int} PRIMARY KEY,
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      created_at ${int} NOT NULL
    ) ${strict}`,
    `INSERT INTO invoice_changes (seq, invoice_id, created_at)
      SELECT seq, invoice_id, created_at FROM earlier_events WHERE invoice_id IS NOT NULL`,
    `CREATE TABLE events (
      account_id ${int} NOT NULL,
      seq ${int} NOT NULL,
      public_id TEXT NOT NULL,
      invoice_id ${int},
      type TEXT NOT NULL,
      body TEXT NOT NULL,
      created_at ${int} NOT NULL,
      PRIMARY KEY (account_id, seq)
    ) ${strict}`,
    `CREATE TABLE event_counters (
      account_id ${int} PRIMARY KEY REFERENCES accounts (id),
      seq ${int} NOT NULL,
      pruned_seq ${int} NOT NULL DEFAULT 0
    ) ${strict}`,
    // A delivery of an event and one that was sent again have the same body. Older ones have no event in the log.
    `INSERT INTO events (account_id, seq, public_id, invoice_id, type, body, created_at)
      SELECT account_id, row_number() OVER (PARTITION BY account_id ORDER BY created_at, position), ${uuid}, invoice_id,
        type, body, created_at
      FROM (
        SELECT account_id, invoice_id, type, body, min(created_at) AS created_at, min(position) AS position FROM (
          SELECT account_id, invoice_id, type, body, created_at, seq AS position FROM earlier_events
          WHERE type IS NOT NULL
          UNION ALL
          SELECT account_id, invoice_id, event_type, body, created_at, id FROM deliveries
        ) AS written GROUP BY account_id, invoice_id, type, body
      ) AS distinct_events`,
    `INSERT INTO event_counters (account_id, seq) SELECT account_id, max(seq) FROM events GROUP BY account_id`,
    `ALTER TABLE deliveries ADD COLUMN event_seq ${int}`,
    `UPDATE deliveries SET event_seq = (SELECT min(events.seq) FROM events WHERE events.account_id = deliveries.account_id
      AND events.type = deliveries.event_type AND events.body = deliveries.body)`,
    'ALTER TABLE deliveries DROP COLUMN body',
    'CREATE INDEX events_by_type ON events (account_id, type, seq)',
    'CREATE INDEX events_by_time ON events (created_at)',
    'CREATE INDEX deliveries_by_event ON deliveries (event_seq, account_id)',
    'DROP TABLE earlier_events',
    "UPDATE counters SET name = 'invoice_change_seq' WHERE name = 'event_seq'",
  ]
}
