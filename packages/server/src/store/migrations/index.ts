import type { Dialect } from '../dialect.ts'
import { baseline } from './0001_baseline.ts'

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
]

export const NEWEST_MIGRATION = MIGRATIONS.at(-1)![0]
