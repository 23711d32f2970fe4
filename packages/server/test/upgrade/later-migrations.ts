import { MIGRATIONS, type Migration } from '../../src/store/migrations/index.ts'
import { migrationOf } from '../harness/migration.ts'

/** The migrations of a version after this one: they add a column, fill it, and add a table. */
export const LATER: readonly Migration[] = [
  ...MIGRATIONS,
  migrationOf('9000_note', 'ALTER TABLE invoices ADD COLUMN note TEXT', 'UPDATE invoices SET note = address'),
  migrationOf('9001_notes', 'CREATE TABLE notes (id BIGINT)', 'INSERT INTO notes (id) SELECT id FROM invoices'),
]
