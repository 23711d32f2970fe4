import type { Dialect } from '../dialect.ts'

/** Deliveries that have failed for good and were not sent again, without test events. */
const FAILED = `state = 'failed' AND resent_at IS NULL AND event_type <> 'test'`

/**
 * Each filter of the delivery log begins in an index with its order: of the account, of its webhook or of one endpoint, by
 * type, all or failed ones. A filter without a type reads the newest of each type.
 */
export function deliveryLogMigration({ name }: Dialect): string[] {
  return [
    'CREATE INDEX deliveries_by_type ON deliveries (account_id, event_type, id)',
    'CREATE INDEX deliveries_of_webhook ON deliveries (account_id, event_type, id) WHERE endpoint_id IS NULL',
    'CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, event_type, id) WHERE endpoint_id IS NOT NULL',
    'CREATE INDEX deliveries_by_invoice ON deliveries (invoice_id, id) WHERE invoice_id IS NOT NULL',
    `CREATE INDEX deliveries_failed_by_type ON deliveries (account_id, event_type, id) WHERE ${FAILED}`,
    'DROP INDEX deliveries_failed',
    `CREATE INDEX deliveries_failed ON deliveries (account_id, event_type, id) WHERE ${FAILED} AND endpoint_id IS NULL`,
    'DROP INDEX deliveries_failed_of_endpoint',
    `CREATE INDEX deliveries_failed_of_endpoint ON deliveries (endpoint_id, event_type, id)
      WHERE ${FAILED} AND endpoint_id IS NOT NULL`,
    // Without statistics SQLite looks for the few open deliveries of an endpoint among all of them. Numbers of rows: of the
    // index, of an endpoint, of an event or type.
    ...(name === 'sqlite'
      ? [
          'ANALYZE sqlite_schema',
          `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
            ('deliveries', 'deliveries_open_of_endpoint', '100 10 1 1'),
            ('deliveries', 'deliveries_of_endpoint', '1000000 100000 1'),
            ('deliveries', 'deliveries_by_endpoint', '1000000 100000 10000 1')`,
          'ANALYZE sqlite_schema',
        ]
      : []),
  ]
}
