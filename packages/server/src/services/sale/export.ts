import type { Account } from '../../domain/account/account.ts'
import type { Session } from '../../domain/account/session.ts'
import { invalidField } from '../../domain/error.ts'
import { stringify } from '../../domain/raw-json.ts'
import type { ExportFormat, ExportKind } from '../../domain/sale/export.ts'
import type { RefundStatus } from '../../domain/sale/refund.ts'
import { formatIso } from '../../domain/time.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { WorkWatch } from '../../ports/progress.ts'
import type { Period, TimePosition } from '../../ports/repository/page.ts'
import type { InvoiceFilter } from '../../ports/repository/sale/invoice.ts'
import type { Store } from '../../ports/store.ts'
import { createTurns } from '../turns.ts'
import { type CsvCells, type CsvStyle, csvLine } from './csv.ts'
import { createExportSlots } from './export-slot.ts'
import { type ExportTable, INVOICE_TABLE, REFUND_TABLE } from './export-table.ts'

/** Unix seconds; `to` is exclusive. Undefined: the period ends now. */
export interface ExportPeriod {
  readonly from: number
  readonly to?: number
}

export interface ExportFile {
  readonly type: string
  readonly fileName: string
  /**
   * The file, one page of rows at a time. A page is read when the previous one is consumed. The export ends with its
   * last page, or when its reader returns; until then the account can begin no other one.
   */
  readonly chunks: AsyncIterableIterator<string>
}

/**
 * Exports the account's rows created in a period, oldest first. One export of an account at a time in each process. An
 * export that another session reads too slowly gives way, and one whose session has ended stops.
 * @param session null for the command
 * @param watch its progress is counted in rows
 * @param only a filter without a period; default: all rows
 * @throws AppError `invalid_to`, `export_in_progress`
 */
type BeginExport<Filter> = (
  account: Account,
  session: Pick<Session, 'id'> | null,
  format: ExportFormat,
  period: ExportPeriod,
  watch?: WorkWatch,
  only?: Filter,
) => ExportFile

/** Refunds are exported without addresses: the buyer can still change an unseen one. */
export interface Exports extends Readonly<Record<ExportKind, unknown>> {
  readonly invoices: BeginExport<InvoiceFilter>
  readonly refunds: BeginExport<RefundStatus>
}

/** Rows for each read: reading and formatting them takes two milliseconds. */
const PAGE = 100

/** How often an export checks that its session has not ended. */
const SESSION_CHECK_MS = 1_000

const CSV_STYLES: Readonly<Record<Exclude<ExportFormat, 'json'>, CsvStyle>> = {
  csv: { separator: ',', decimalSign: '.' },
  csv_semicolon: { separator: ';', decimalSign: ',' },
}

export function createExports({ store, clock }: { store: Store; clock: Clock }): Exports {
  const slots = createExportSlots(clock)
  const ownTurn = createTurns()

  /** The period is fixed, so rows created during the export are not included. */
  async function* pages<R, Filter>(
    table: ExportTable<R, Filter>,
    account: Account,
    session: Pick<Session, 'id'> | null,
    period: Period,
    { onProgress, signal }: WorkWatch,
    only: Filter | undefined,
  ): AsyncGenerator<R[]> {
    let after: TimePosition | null = null
    const total = onProgress ? await table.count(store, account.id, period, only) : 0
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
      const page: R[] = await table.list(store, account.id, period, after, PAGE, only)
      if (page.length > 0) yield page
      done += page.length
      onProgress?.(done, total)
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      after = table.position(last)
    }
  }

  async function* csv<R>(
    table: ExportTable<R, never>,
    rows: AsyncIterable<R[]>,
    style: CsvStyle,
  ): AsyncGenerator<string> {
    yield csvLine(table.columns, style)
    const line = (row: R) => {
      const cells = { ...table.members(row), ...table.cells(row, style) } as CsvCells
      return csvLine(
        table.columns.map(column => cells[column]),
        style,
      )
    }
    for await (const page of rows) yield page.map(line).join('')
  }

  async function* json<R>(table: ExportTable<R, never>, rows: AsyncIterable<R[]>): AsyncGenerator<string> {
    let before = '['
    for await (const page of rows) {
      yield before + page.map(row => stringify(table.members(row))).join(',\n')
      before = ',\n'
    }
    yield before === '[' ? '[]\n' : ']\n'
  }

  const exportOf = <R, Filter>(table: ExportTable<R, Filter>): BeginExport<Filter> => {
    return (account, session, format, { from, to }, watch = {}, only = undefined) => {
      if (to !== undefined && to < from) throw invalidField('to', 'not before from')
      const now = nowSecs(clock)
      const rows = pages(table, account, session, { from, to: to ?? now + 1 }, watch, only)
      const ending = format === 'json' ? 'json' : 'csv'
      const fileName = `${table.name}-${formatIso(now).slice(0, 10)}.${ending}`
      const file = format === 'json' ? json(table, rows) : csv(table, rows, CSV_STYLES[format])
      const chunks = slots.take(account.publicId, session?.id ?? null, file)
      const type = format === 'json' ? 'application/json' : 'text/csv'
      return { type: `${type}; charset=utf-8`, fileName, chunks }
    }
  }

  return { invoices: exportOf(INVOICE_TABLE), refunds: exportOf(REFUND_TABLE) }
}
