import type { Dialect } from '../dialect.ts'
import { baseline } from './0001_baseline.ts'
import { eventMigration } from './0007_event.ts'
import { endpointMigration } from './0008_endpoint.ts'
import { deliveryLogMigration } from './0010_delivery_log.ts'
import { storeProfileMigration } from './0012_store_profile.ts'
import { dailyPriceMigration } from './0014_daily_price.ts'
import { swapDetailsMigration } from './0016_swap_details.ts'
import { receiptMailMigration } from './0017_receipt_mail.ts'
import { paymentLinkMigration } from './0018_payment_link.ts'
import { greenfieldEndpointMigration } from './0020_greenfield_endpoint.ts'

/** The SQL statements of a change of the schema, in the order of execution. */
export type Migration = readonly [name: string, statements: (dialect: Dialect) => Iterable<string>]

/** In the order of execution. A published migration is never edited: changes are new entries at the end. */
export const MIGRATIONS: readonly Migration[] = [
  ['0001_baseline', baseline],
  [
    '0002_order',
    ({ bytewise }) => [
      `ALTER TABLE invoices ADD COLUMN order_id ${bytewise}`,
      'ALTER TABLE invoices ADD COLUMN description TEXT',
      'CREATE INDEX invoices_described ON invoices (account_id) WHERE description IS NOT NULL',
      'CREATE INDEX invoices_by_order ON invoices (account_id, order_id, created_at, id) WHERE order_id IS NOT NULL',
    ],
  ],
  [
    '0003_sale',
    ({ int }) => [
      ...[
        'price TEXT',
        'rate TEXT',
        `open_amount ${int}`,
        `min_amount_zat ${int}`,
        `tolerance_bps ${int}`,
        `own_confirmations ${int}`,
        'success_url TEXT',
        'cancel_url TEXT',
        `auto_redirect ${int}`,
        'locale TEXT',
        'metadata TEXT',
        `canceled_at ${int}`,
        `late_at ${int}`,
      ].map(column => `ALTER TABLE invoices ADD COLUMN ${column}`),
      'DROP INDEX invoices_described',
      `CREATE INDEX invoices_with_details ON invoices (account_id) WHERE description IS NOT NULL
        OR metadata IS NOT NULL OR success_url IS NOT NULL OR cancel_url IS NOT NULL OR locale IS NOT NULL`,
      'DROP INDEX invoices_needing_attention',
      'CREATE INDEX invoices_needing_attention ON invoices (account_id, created_at, id) WHERE needs_attention = 1',
      'DROP INDEX invoices_overpaid',
      'CREATE INDEX invoices_overpaid ON invoices (account_id, created_at, id) WHERE overpaid_zat > 0',
      'CREATE INDEX invoices_late ON invoices (account_id, created_at, id) WHERE late_at IS NOT NULL',
      'CREATE INDEX invoices_late_by_time ON invoices (account_id, late_at) WHERE late_at IS NOT NULL',
      'CREATE INDEX invoices_canceled ON invoices (account_id, created_at, id) WHERE canceled_at IS NOT NULL',
      `CREATE INDEX invoices_part_paid ON invoices (account_id, created_at, id)
        WHERE received_zat > 0 AND due_zat > 0 AND status <> 'paid'`,
      `ALTER TABLE accounts ADD COLUMN tolerance_bps ${int} NOT NULL DEFAULT 0`,
    ],
  ],
  [
    '0004_refund',
    ({ id, int, blob, strict }) => [
      `CREATE TABLE refunds (
        id ${id},
        public_id TEXT NOT NULL UNIQUE,
        account_id ${int} NOT NULL REFERENCES accounts (id),
        invoice_id ${int} NOT NULL REFERENCES invoices (id),
        status TEXT NOT NULL,
        amount_zat ${int} NOT NULL CHECK (amount_zat > 0),
        price TEXT,
        rate TEXT,
        reason TEXT,
        address TEXT,
        address_from_buyer ${int} NOT NULL,
        seen_at ${int},
        link_id TEXT NOT NULL UNIQUE,
        txid TEXT,
        created_at ${int} NOT NULL,
        updated_at ${int} NOT NULL,
        idempotency_key TEXT,
        body_hash ${blob}
      ) ${strict}`,
      'CREATE INDEX refunds_by_invoice ON refunds (invoice_id, id)',
      'CREATE INDEX refunds_by_time ON refunds (account_id, created_at, id)',
      'CREATE INDEX refunds_by_status ON refunds (account_id, status, created_at, id)',
      'CREATE INDEX refunds_by_key ON refunds (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL',
      `ALTER TABLE invoices ADD COLUMN refunded_zat ${int}`,
      'CREATE INDEX invoices_refunded ON invoices (account_id, created_at, id) WHERE refunded_zat IS NOT NULL',
      `ALTER TABLE daily_totals ADD COLUMN refunded_zat ${int} NOT NULL DEFAULT 0`,
    ],
  ],
  [
    '0005_scope',
    () => [
      'ALTER TABLE api_keys ADD COLUMN scopes TEXT',
      'ALTER TABLE deliveries ADD COLUMN url TEXT',
      'ALTER TABLE invoices ADD COLUMN webhook_url TEXT',
      'DROP INDEX invoices_with_details',
      `CREATE INDEX invoices_with_details ON invoices (account_id) WHERE description IS NOT NULL OR metadata IS NOT NULL
        OR success_url IS NOT NULL OR cancel_url IS NOT NULL OR locale IS NOT NULL OR webhook_url IS NOT NULL`,
    ],
  ],
  [
    '0006_statistics',
    // Without statistics SQLite expects ten rows of an account, and reads all rows of a period to find those of one order
    // or status. Numbers of rows: of the table, of an account, of a status, of a second.
    ({ name }) =>
      name === 'sqlite'
        ? [
            'ANALYZE sqlite_schema',
            `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
              ('invoices', 'invoices_by_time', '1000000 100000 2 1'),
              ('invoices', 'invoices_by_status', '1000000 100000 20000 2 1'),
              ('refunds', 'refunds_by_time', '1000000 100000 2 1'),
              ('refunds', 'refunds_by_status', '1000000 100000 20000 2 1')`,
            'ANALYZE sqlite_schema',
          ]
        : [],
  ],
  ['0007_event', eventMigration],
  ['0008_endpoint', endpointMigration],
  [
    '0009_api_key',
    ({ int }) => [
      `ALTER TABLE api_keys ADD COLUMN expires_at ${int}`,
      'ALTER TABLE api_keys ADD COLUMN addresses TEXT',
      'CREATE INDEX api_keys_ended ON api_keys (expires_at) WHERE expires_at IS NOT NULL',
    ],
  ],
  ['0010_delivery_log', deliveryLogMigration],
  ['0011_failed_event', ({ int }) => [`ALTER TABLE endpoints ADD COLUMN first_failed_seq ${int}`]],
  ['0012_store_profile', storeProfileMigration],
  ['0014_daily_price', dailyPriceMigration],
  [
    '0015_invoice_text',
    () => [
      `CREATE INDEX invoices_with_texts ON invoices (account_id, created_at, id)
        WHERE (description IS NOT NULL OR metadata IS NOT NULL)`,
      `CREATE INDEX events_with_texts ON events (invoice_id)
        WHERE (body LIKE '%"description":%' OR body LIKE '%"metadata":%')`,
    ],
  ],
  ['0016_swap_details', swapDetailsMigration],
  ['0017_receipt_mail', receiptMailMigration],
  ['0018_payment_link', paymentLinkMigration],
  [
    '0019_invoice_mark',
    ({ int }) => [
      'ALTER TABLE invoices ADD COLUMN marked_as TEXT',
      `ALTER TABLE invoices ADD COLUMN marked_at ${int}`,
      `ALTER TABLE invoices ADD COLUMN archived_at ${int}`,
      `CREATE INDEX invoices_marked ON invoices (account_id, marked_as, created_at, id) WHERE marked_as IS NOT NULL`,
    ],
  ],
  ['0020_greenfield_endpoint', greenfieldEndpointMigration],
]

export const NEWEST_MIGRATION = MIGRATIONS.at(-1)![0]
