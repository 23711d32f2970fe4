import { DatabaseSync } from 'node:sqlite'
import type { FilledShop } from './target.ts'

/** Those that differ between the copies. */
const OWN_COLUMNS = new Set(['id', 'public_id', 'diversifier_index', 'created_at'])

/** Copies the only invoice of the shop many times, as open invoices of the last 30 days. */
export function addInvoices({ databaseFile }: Pick<FilledShop, 'databaseFile'>, invoices: number): void {
  const database = new DatabaseSync(databaseFile)
  const columns = database
    .prepare("SELECT name FROM pragma_table_info('invoices')")
    .all()
    .map(({ name }) => String(name))
    .filter(name => !OWN_COLUMNS.has(name))
    .join(', ')
  database.exec('BEGIN')
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${invoices})
    INSERT INTO invoices (${columns}, public_id, diversifier_index, created_at)
    SELECT ${columns}, printf('%08x-0000-4000-8000-%012x', (n * 2654435761) & 4294967295, n), n,
      created_at - (n * 2592000) / ${invoices}
    FROM numbers, (SELECT * FROM invoices LIMIT 1)`)
  database.exec('COMMIT')
  database.close()
}
