import { sql } from 'kysely'
import type { InvoiceFilter } from '../../../ports/repository/sale/invoice.ts'
import type { Db } from '../../tables.ts'

/** As in the partial index. */
const isPartPaid = sql<boolean>`received_zat > 0 AND due_zat > 0 AND status <> 'paid'`

/**
 * The sales of an account that a filter selects, but for its period: how that is read depends on the order of the list.
 * Conditions contain literals, since a partial index is not used for a bound value.
 */
export function selectedSales(db: Db, accountId: number, filter: InvoiceFilter) {
  const { statuses, orderId } = filter
  let query = db.selectFrom('invoices').where('account_id', '=', accountId).where('purpose', '=', 'sale')
  if (statuses?.length === 1) query = query.where('status', '=', statuses[0]!)
  else if (statuses !== undefined) query = query.where('status', 'in', statuses)
  if (orderId !== undefined) query = query.where('order_id', '=', orderId)
  if (filter.needsAttention) query = query.where('needs_attention', '=', sql.lit(1))
  if (filter.overpaid) query = query.where('overpaid_zat', '>', sql.lit(0))
  if (filter.partPaid) query = query.where(isPartPaid)
  if (filter.late) query = query.where('late_at', 'is not', null)
  if (filter.canceled) query = query.where('canceled_at', 'is not', null)
  if (filter.notCanceled) query = query.where('canceled_at', 'is', null)
  if (filter.notArchived) query = query.where('archived_at', 'is', null)
  if (filter.markedAs === null) query = query.where('marked_as', 'is', null)
  else if (filter.markedAs !== undefined) query = query.where('marked_as', '=', filter.markedAs)
  if (filter.refunded) query = query.where('refunded_zat', 'is not', null)
  return query
}
