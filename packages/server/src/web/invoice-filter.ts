import { INVOICE_STATUSES, type InvoiceStatus } from '../domain/sale/invoice.ts'
import { DAY_SECS, parseDay } from '../domain/time.ts'
import type { InvoiceFilter } from '../ports/repository/sale/invoice.ts'
import type { FormFields } from './forms.ts'
import { FLAG_FILTERS, type FlagFilter } from './pages/sale/invoice-list.ts'

const FLAGS = Object.keys(FLAG_FILTERS) as FlagFilter[]

/** The value of the filter for the status in a query or form. Null for others. */
export function statusIn({ status }: FormFields): InvoiceStatus | FlagFilter | null {
  return [...INVOICE_STATUSES, ...FLAGS].find(name => name === status) ?? null
}

/** The selection of the status filter. Unknown values select all. */
export function statusFilter({ status }: FormFields): InvoiceFilter {
  const flag = FLAGS.find(name => name === status)
  const known = INVOICE_STATUSES.find(name => name === status)
  return { ...(known && { statuses: [known] }), ...(flag && FLAG_FILTERS[flag].filter) }
}

/** The filter of a list of invoices in a query. Invalid days are left out. */
export function invoiceFilter(query: FormFields): InvoiceFilter {
  const { from = '', to = '' } = query
  const createdFrom = parseDay(from)
  const lastDay = parseDay(to)
  return {
    ...statusFilter(query),
    ...(createdFrom !== null && { createdFrom }),
    ...(lastDay !== null && { createdTo: lastDay + DAY_SECS }),
  }
}
