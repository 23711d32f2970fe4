import type { Account } from '../../domain/account/account.ts'
import type { Session } from '../../domain/account/session.ts'
import { invalidField } from '../../domain/error.ts'
import { formatZec } from '../../domain/money.ts'
import { stringify } from '../../domain/raw-json.ts'
import type { ExportFormat } from '../../domain/sale/export.ts'
import { type INVOICE_VIEWS, type Invoice, viewInvoice } from '../../domain/sale/invoice.ts'
import { currencyCode } from '../../domain/sale/price.ts'
import { formatIso } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { WorkWatch } from '../../ports/progress.ts'
import type { InvoiceCursor } from '../../ports/repository/sale/dashboard.ts'
import type { Store } from '../../ports/store.ts'
import { createTurns } from '../turns.ts'
import { createExportSlots } from './export-slot.ts'

/** Unix seconds; `to` is exclusive. Undefined: the period ends now. */
export interface ExportPeriod {
  readonly from: number
  readonly to?: number
}

export interface InvoiceExport {
  readonly type: string
  readonly fileName: string
  /**
   * The file, one page of rows at a time. A page is read when the previous one is consumed. The export ends with its
   * last page, or when its reader returns; until then the account can begin no other one.
   */
  readonly chunks: AsyncIterableIterator<string>
}

export interface InvoiceExports {
  /**
   * Exports the account's invoices created in a period, oldest first. One export of an account at a time in each
   * process. An export that another session reads too slowly gives way, and one whose session has ended stops.
   * @param session null for the command
   * @param watch its progress is counted in invoices
   * @throws AppError `invalid_to`, `export_in_progress`
   */
  exportInvoices(
    account: Account,
    session: Pick<Session, 'id'> | null,
    format: ExportFormat,
    period: ExportPeriod,
    watch?: WorkWatch,
  ): InvoiceExport
}

/** Rows for each read: reading and formatting them takes two milliseconds. */
const PAGE = 100

/** How often an export checks that its session has not ended. */
const SESSION_CHECK_MS = 1_000

/** The columns of the first version. Programs read columns by their place, so later ones are at the end. */
const FIRST_COLUMNS = [
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
] as const satisfies readonly (typeof INVOICE_VIEWS.list)[number][]

/** Adds decimal ZEC, times that spreadsheets recognise, and what a sale has beyond an amount, as of the sale. */
const CSV_COLUMNS = [
  ...FIRST_COLUMNS,
  'amount_zec',
  'received_zec',
  'created_utc',
  'paid_utc',
  'order_id',
  'description',
  'price_amount',
  'price_currency',
  'rate',
  'rate_currency',
  'rate_sources',
  'rate_utc',
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
] as const

interface CsvStyle {
  readonly separator: ',' | ';'
  readonly decimalSign: '.' | ','
}

const CSV_STYLES: Readonly<Record<Exclude<ExportFormat, 'json'>, CsvStyle>> = {
  csv: { separator: ',', decimalSign: '.' },
  csv_semicolon: { separator: ';', decimalSign: ',' },
}

export function createInvoiceExports({ store, clock }: { store: Store; clock: Clock }): InvoiceExports {
  const slots = createExportSlots(clock)
  const ownTurn = createTurns()

  /** The period is fixed, so invoices created during the export are not included. */
  async function* pages(
    account: Account,
    session: Pick<Session, 'id'> | null,
    period: { from: number; to: number },
    { onProgress, signal }: WorkWatch,
  ): AsyncGenerator<Invoice[]> {
    let after: InvoiceCursor | null = null
    const total = onProgress ? await store.query(tx => tx.dashboard.countByTime(account.id, period)) : 0
    let done = 0
    let checkedAtMs = clock.nowMs()
    for (;;) {
      signal?.throwIfAborted()
      await ownTurn()
      if (session && clock.nowMs() - checkedAtMs >= SESSION_CHECK_MS) {
        checkedAtMs = clock.nowMs()
        const isActive = await store.query(tx => tx.sessions.isActive(session.id, nowSecs(clock)))
        if (!isActive) throw new Error('the session of the export has ended')
      }
      const position: InvoiceCursor | null = after
      const page: Invoice[] = await store.query(tx => tx.dashboard.listByTime(account.id, period, position, PAGE))
      if (page.length > 0) yield page
      done += page.length
      onProgress?.(done, total)
      const last = page.at(-1)
      if (!last || page.length < PAGE) return
      after = { createdAt: last.createdAt, id: last.id }
    }
  }

  async function* csv(invoices: AsyncIterable<Invoice[]>, style: CsvStyle): AsyncGenerator<string> {
    yield `${CSV_COLUMNS.join(style.separator)}\r\n`
    for await (const page of invoices) yield page.map(invoice => csvRow(invoice, style)).join('')
  }

  async function* json(invoices: AsyncIterable<Invoice[]>): AsyncGenerator<string> {
    let before = '['
    for await (const page of invoices) {
      yield before + page.map(invoice => stringify(viewInvoice('list', invoice))).join(',\n')
      before = ',\n'
    }
    yield before === '[' ? '[]\n' : ']\n'
  }

  return {
    exportInvoices(account, session, format, { from, to }, watch = {}) {
      if (to !== undefined && to < from) throw invalidField('to', 'not before from')
      const now = nowSecs(clock)
      const invoices = pages(account, session, { from, to: to ?? now + 1 }, watch)
      const ending = format === 'json' ? 'json' : 'csv'
      const fileName = `zatgate-invoices-${formatIso(now).slice(0, 10)}.${ending}`
      const file = format === 'json' ? json(invoices) : csv(invoices, CSV_STYLES[format])
      const chunks = slots.take(account.publicId, session?.id ?? null, file)
      const type = format === 'json' ? 'application/json' : 'text/csv'
      return { type: `${type}; charset=utf-8`, fileName, chunks }
    },
  }
}

/** RFC 4180. */
function csvRow(invoice: Invoice, { separator, decimalSign }: CsvStyle): string {
  const decimal = (text: string | undefined) => text?.replace('.', decimalSign)
  const { price, rate, metadata, canceledAt, paidAt } = invoice
  const values: Readonly<Record<string, unknown>> = {
    ...viewInvoice('list', invoice),
    amount_zec: decimal(formatZec(invoice.openAmount ? invoice.receivedZat : invoice.amountZat)),
    received_zec: decimal(formatZec(invoice.receivedZat)),
    created_utc: sheetTime(invoice.createdAt),
    paid_utc: paidAt === null ? null : sheetTime(paidAt),
    price_amount: decimal(price?.amount),
    price_currency: price && currencyCode(price),
    rate: decimal(rate?.price),
    rate_currency: rate?.currency,
    rate_sources: rate?.sources.join(' '),
    rate_utc: rate && sheetTime(rate.fetched_at),
    canceled_utc: canceledAt === null ? null : sheetTime(canceledAt),
    metadata,
  }
  return `${CSV_COLUMNS.map(column => csvField((values[column] ?? null) as CsvValue)).join(separator)}\r\n`
}

function sheetTime(unixSecs: number): string {
  return formatIso(unixSecs).replace('T', ' ').replace('Z', '')
}

/**
 * How a formula begins: with a sign that a spreadsheet takes for `=`, `+`, `-` or `@`, after any spaces and invisible
 * characters, which some programs drop; or with a tab or a line end.
 */
const FORMULA =
  /^[\s\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@\u2212\uFE62\uFE63\uFE66\uFE6B\uFF0B\uFF0D\uFF1D\uFF20]|^[\t\r\n]/u

type CsvValue = string | number | boolean | null

/**
 * Formats a CSV field. Text that a spreadsheet would run as a formula gets a leading apostrophe. Semicolons and tabs
 * separate fields in some countries, so text with them is quoted as well.
 */
export function csvField(value: CsvValue): string {
  if (value === null) return ''
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
