import type { StoreStep } from '../store/hooks.ts'
import { tableNames } from '../store/table-names.ts'

/** Payments that one statement may read of an invoice, however many the invoice has. */
const MAX_PAYMENTS_READ = 1_000

const readTables = tableNames('from|join')
const OF_INVOICE = /"invoice_id" = /g

/** Whether a statement has read more payments of its invoices than one evaluation may. */
export function readsTooManyPayments({ sql = '', rows = 0 }: Pick<StoreStep, 'sql' | 'rows'>): boolean {
  if (rows <= MAX_PAYMENTS_READ || !readTables(sql).includes('payments')) return false
  const invoices = sql.match(OF_INVOICE)?.length ?? 0
  return invoices > 0 && rows > invoices * MAX_PAYMENTS_READ
}
