import { formatZec } from '../../domain/money.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { type INVOICE_VIEWS, viewInvoice } from '../../domain/sale/invoice-views.ts'
import { currencyCode, type LockedRate, type Price } from '../../domain/sale/price.ts'
import { type RefundStatus, type RefundWithInvoice, viewExportedRefund } from '../../domain/sale/refund.ts'
import type { Period, TimePosition } from '../../ports/repository/page.ts'
import type { InvoiceFilter } from '../../ports/repository/sale/invoice.ts'
import type { Store } from '../../ports/store.ts'
import { refundsWithInvoices } from '../with-invoice.ts'
import { type CsvCells, type CsvStyle, type CsvValue, csvDecimal, csvTime } from './csv.ts'

/** Rows to export, by creation time. A filter selects some of them. */
export interface ExportTable<R, Filter> {
  /** The beginning of the name of the file. */
  readonly name: string
  readonly columns: readonly string[]
  /** Cells that are no members of the row, or are written differently. */
  cells(row: R, style: CsvStyle): CsvCells
  /** The members of a row in JSON. They may be `RawJson`. */
  members(row: R): object
  position(row: R): TimePosition
  count(store: Store, accountId: number, period: Period, only?: Filter): Promise<number>
  /** The rows of the period after a position, oldest first. */
  list(
    store: Store,
    accountId: number,
    period: Period,
    after: TimePosition | null,
    limit: number,
    only?: Filter,
  ): Promise<R[]>
}

/** The columns that `priceCells` fills. */
const PRICE_COLUMNS = ['price_amount', 'price_currency', 'rate', 'rate_currency', 'rate_sources', 'rate_utc'] as const

type PriceCells = Readonly<Record<(typeof PRICE_COLUMNS)[number], CsvValue>>

/** Programs read columns by their place, so later ones are at the end. */
const INVOICE_COLUMNS = [
  'id',
  'status',
  'amount_zat',
  'received_zat',
  'overpaid_zat',
  'address',
  'txid',
  'created_at',
  'expires_at',
  'paid_at',
  'amount_zec',
  'received_zec',
  'created_utc',
  'paid_utc',
  'order_id',
  'description',
  ...PRICE_COLUMNS,
  'open_amount',
  'min_amount_zat',
  'tolerance_bps',
  'confirmations',
  'success_url',
  'cancel_url',
  'auto_redirect',
  'locale',
  'canceled_utc',
  'metadata',
  'refunded_zat',
  'webhook_url',
  'marked_as',
  'marked_utc',
  'link_id',
] as const

type InvoiceMember = (typeof INVOICE_VIEWS.list)[number]
type InvoiceColumn = (typeof INVOICE_COLUMNS)[number]

/** The columns that are no members of a list item. */
type InvoiceCells = CsvCells & Readonly<Record<Exclude<InvoiceColumn, InvoiceMember>, CsvValue>>

/** Members of a list item that no column tells. With one, the table below does not compile, and the error names it. */
type WithoutColumn = Exclude<InvoiceMember, InvoiceColumn | 'price' | 'canceled_at' | 'marked_at'>

/** Adds decimal ZEC, times that spreadsheets recognise, and what a sale has beyond an amount, as of the sale. */
export const INVOICE_TABLE: ExportTable<Invoice, InvoiceFilter> = {
  name: 'zatgate-invoices',
  columns: INVOICE_COLUMNS satisfies readonly ([WithoutColumn] extends [never] ? string : WithoutColumn)[],
  cells: (invoice, style): InvoiceCells => ({
    amount_zec: csvDecimal(formatZec(invoice.openAmount ? invoice.receivedZat : invoice.amountZat), style),
    received_zec: csvDecimal(formatZec(invoice.receivedZat), style),
    created_utc: csvTime(invoice.createdAt),
    paid_utc: csvTime(invoice.paidAt),
    ...priceCells(invoice, style),
    canceled_utc: csvTime(invoice.canceledAt),
    marked_utc: csvTime(invoice.markedAt),
    metadata: invoice.metadata,
  }),
  members: invoice => viewInvoice('list', invoice),
  position: ({ createdAt, id }) => ({ createdAt, id }),
  count: (store, accountId, period, only) => store.query(tx => tx.dashboard.countByTime(accountId, period, only)),
  list: (store, accountId, period, after, limit, only) =>
    store.query(tx => tx.dashboard.listByTime(accountId, period, after, limit, only)),
}

/** Later columns are at the end, as for invoices. */
export const REFUND_TABLE: ExportTable<RefundWithInvoice, RefundStatus> = {
  name: 'zatgate-refunds',
  columns: [
    'id',
    'invoice_id',
    'order_id',
    'status',
    'amount_zat',
    'amount_zec',
    ...PRICE_COLUMNS,
    'reason',
    'txid',
    'created_at',
    'updated_at',
    'created_utc',
    'updated_utc',
  ],
  cells: ({ refund }, style) => ({
    amount_zec: csvDecimal(formatZec(refund.amountZat), style),
    ...priceCells(refund, style),
    created_utc: csvTime(refund.createdAt),
    updated_utc: csvTime(refund.updatedAt),
  }),
  members: viewExportedRefund,
  position: ({ refund: { createdAt, id } }) => ({ createdAt, id }),
  count: (store, accountId, period, only) => store.query(tx => tx.refunds.countByTime(accountId, period, only)),
  list: (store, accountId, period, after, limit, only) =>
    store.read(async tx => refundsWithInvoices(tx, await tx.refunds.listByTime(accountId, period, after, limit, only))),
}

interface Priced {
  readonly price: Price | null
  readonly rate: LockedRate | null
}

function priceCells({ price, rate }: Priced, style: CsvStyle): PriceCells {
  return {
    price_amount: csvDecimal(price?.amount, style),
    price_currency: price && currencyCode(price),
    rate: csvDecimal(rate?.price, style),
    rate_currency: rate?.currency,
    rate_sources: rate?.sources.join(' '),
    rate_utc: csvTime(rate?.fetched_at),
  }
}
