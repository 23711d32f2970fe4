import { DatabaseSync } from 'node:sqlite'
import type { FilledShop } from './target.ts'

/** Copies the only invoice of the shop many times, as open invoices of the last 30 days. */
export function addInvoices({ databaseFile }: Pick<FilledShop, 'databaseFile'>, invoices: number): void {
  const database = new DatabaseSync(databaseFile)
  database.exec('BEGIN')
  const columns = [
    'account_id',
    'viewing_key_id',
    'purpose',
    'address',
    'amount_zat',
    'confirmations',
    'status',
    'overpaid_zat',
    'expires_at',
    'watch_until',
  ].join(', ')
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${invoices})
    INSERT INTO invoices (${columns}, public_id, diversifier_index, received_zat, created_at)
    SELECT ${columns},
      printf('%08x-0000-4000-8000-%012x', (n * 2654435761) & 4294967295, n), n, received_zat,
      created_at - (n * 2592000) / ${invoices}
    FROM numbers, (SELECT * FROM invoices LIMIT 1)`)
  database.exec('COMMIT')
  database.close()
}
