import type { Zat } from '../../../domain/money.ts'
import type { DailyPriceChange } from '../../../domain/sale/daily-price.ts'
import type { DailyTotalChange } from '../../../domain/sale/daily-total.ts'
import type { Invoice, InvoiceStatus } from '../../../domain/sale/invoice.ts'
import type { DailyPrice } from '../../../domain/sale/sales-figures.ts'
import type { Period, TimePosition, Totals } from '../page.ts'
import type { InvoiceFilter } from './invoice.ts'

/** Totals of the invoices that became paid, and of the refunds that were sent, on one UTC day. */
export interface DailyTotals {
  /** Unix seconds of the day's start. */
  readonly day: number
  readonly receivedZat: Zat
  /** The sum of the refunds that were marked as sent. */
  readonly refundedZat: Zat
  readonly invoices: number
}

/** Queries of the dashboard. All of them cover the sales of one account. */
export interface DashboardRepository {
  /** Starts with the day that contains `from`, oldest first. Days without either are left out. */
  paidByDay(accountId: number, from: number): Promise<DailyTotals[]>
  /** Adds to the totals of days, in as few statements as possible. */
  addToDailyTotals(changes: readonly DailyTotalChange[]): Promise<void>
  /** The prices of paid sales. Starts with the day that contains `from`, oldest first. */
  pricesByDay(accountId: number, from: number): Promise<DailyPrice[]>
  /** Adds to the prices of days, in as few statements as possible. */
  addToDailyPrices(changes: readonly DailyPriceChange[]): Promise<void>
  /** Number of invoices with this status, created at `createdFrom` or later, at most `max`. */
  countByStatus(accountId: number, status: InvoiceStatus, createdFrom: number, max: number): Promise<number>
  /** Paid invoices whose payments were reorged, newest first. */
  needingAttention(accountId: number, limit: number): Promise<Invoice[]>
  /** Number of paid invoices whose payments were reorged, at most `max`. */
  countNeedingAttention(accountId: number, max: number): Promise<number>
  /** Paid invoices with more than their amount that is not refunded, paid at `paidFrom` or later, the last paid first. */
  overpaid(accountId: number, paidFrom: number, limit: number): Promise<Invoice[]>
  /** Number of these invoices, at most `max`. */
  countOverpaid(accountId: number, paidFrom: number, max: number): Promise<number>
  /** Number of underpaid invoices created at `createdFrom` or later whose payments are not refunded, at most `max`. */
  countUnderpaid(accountId: number, createdFrom: number, max: number): Promise<number>
  /** Invoices that money reached after they had closed, not all of it refunded, first at `lateFrom` or later, the last first. */
  late(accountId: number, lateFrom: number, limit: number): Promise<Invoice[]>
  /** Number of these invoices, at most `max`. */
  countLate(accountId: number, lateFrom: number, max: number): Promise<number>
  /** Invoices whose public id starts with `prefix` (lower case). */
  byIdPrefix(accountId: number, prefix: string, limit: number): Promise<Invoice[]>
  /** Invoices whose order id starts with `prefix`, ordered by it. */
  byOrderPrefix(accountId: number, prefix: string, limit: number): Promise<Invoice[]>
  /** Invoices with a payment whose txid starts with `prefix` (lower case). */
  byTxidPrefix(accountId: number, prefix: string, limit: number): Promise<Invoice[]>
  /** Viewing keys of the account, past ones included, newest first. Deleted ones are left out. */
  viewingKeys(accountId: number, limit: number): Promise<{ readonly id: number; readonly sealed: Uint8Array }[]>
  /** Number of invoices of the period. @param filter without a period; default: all */
  countByTime(accountId: number, period: Period, filter?: InvoiceFilter): Promise<number>
  /** The invoices of the period, oldest first, after a position. @param filter without a period; default: all */
  listByTime(
    accountId: number,
    period: Period,
    after: TimePosition | null,
    limit: number,
    filter?: InvoiceFilter,
  ): Promise<Invoice[]>
  /** Number and received sum of the newest invoices of a filter, of at most `max`. */
  totals(accountId: number, filter: InvoiceFilter, max: number): Promise<Totals>
}
