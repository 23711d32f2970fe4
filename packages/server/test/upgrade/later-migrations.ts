import { sql } from 'kysely'
import { MIGRATIONS, type Migration } from '../../src/store/migrations/index.ts'

const later = (name: string, ...statements: readonly string[]): Migration => [
  name,
  async db => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
]

/** The migrations of a version after this one: they add a column, fill it, and add a table. */
export const LATER: readonly Migration[] = [
  ...MIGRATIONS,
  later('9000_note', 'ALTER TABLE invoices ADD COLUMN note TEXT', 'UPDATE invoices SET note = address'),
  later('9001_notes', 'CREATE TABLE notes (id BIGINT)', 'INSERT INTO notes (id) SELECT id FROM invoices'),
]
