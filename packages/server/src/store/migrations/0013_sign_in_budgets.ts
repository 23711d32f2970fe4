import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Sign-in codes count by known browser and by wider IPv6 networks, and budgets limit what all clients share. Mails have
 * queues: one for each kind of code, and one for notices, where the mails of one kind to one recipient share a row:
 * `notice_to` is null in other rows, which may repeat.
 */
export async function up(db: Kysely<unknown>, { int, blob, strict }: Dialect): Promise<void> {
  const statements = [
    ...['known_browser_hash', 'network56_hash', 'network48_hash'].flatMap(column => [
      `ALTER TABLE sign_in_codes ADD COLUMN ${column} ${blob}`,
      `CREATE INDEX sign_in_codes_by_${column} ON sign_in_codes (${column}, purpose, created_at)
        WHERE ${column} IS NOT NULL`,
    ]),
    `CREATE TABLE sign_in_budgets (
      name TEXT PRIMARY KEY,
      window_start ${int} NOT NULL,
      used ${int} NOT NULL
    ) ${strict}`,
    `INSERT INTO sign_in_budgets (name, window_start, used) VALUES
      ('browser', 0, 0), ('account', 0, 0), ('unknown', 0, 0), ('requests', 0, 0), ('wrong_codes', 0, 0)`,
    "ALTER TABLE mails ADD COLUMN queue TEXT NOT NULL DEFAULT 'notice'",
    `ALTER TABLE mails ADD COLUMN events ${int} NOT NULL DEFAULT 1`,
    `ALTER TABLE mails ADD COLUMN mailed ${int} NOT NULL DEFAULT 0`,
    `ALTER TABLE mails ADD COLUMN last_at ${int} NOT NULL DEFAULT 0`,
    "UPDATE mails SET queue = 'unsorted' WHERE about = 'code'",
    `UPDATE mails SET last_at = created_at, events = (
      SELECT count(*) FROM mails AS same WHERE same.recipient = mails.recipient AND same.about = mails.about
    )`,
    `DELETE FROM mails WHERE code_id IS NULL AND account_id IS NULL AND id < (
      SELECT max(id) FROM mails AS same WHERE same.recipient = mails.recipient AND same.about = mails.about
    )`,
    'ALTER TABLE mails ADD COLUMN notice_to TEXT',
    'UPDATE mails SET notice_to = recipient WHERE code_id IS NULL AND account_id IS NULL',
    'CREATE UNIQUE INDEX mails_by_kind ON mails (notice_to, about)',
    'DROP INDEX mails_due',
    'CREATE INDEX mails_due ON mails (queue, due_at, id)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
