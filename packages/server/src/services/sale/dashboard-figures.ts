import type { Account } from '../../domain/account/account.ts'
import { MAX_COUNT } from '../../domain/count.ts'
import type { InvoiceStatus } from '../../domain/sale/invoice.ts'
import {
  type Comparison,
  monthComparison,
  mostUsedCurrency,
  type PeriodTotals,
  type Span,
  totalsOf,
  weekComparison,
} from '../../domain/sale/sales-figures.ts'
import { DAY_SECS, startOfDay, startOfMonth, startOfWeek } from '../../domain/time.ts'
import type { DailyTotals } from '../../ports/repository/sale/dashboard.ts'
import type { Tx } from '../../ports/store.ts'

/** Figures of an account, some seconds old. Days, weeks (from Monday) and months are in UTC. */
export interface DashboardFigures {
  readonly today: PeriodTotals
  readonly yesterday: PeriodTotals
  readonly week: ComparedTotals
  readonly month: ComparedTotals
  /** The currency of most prices of these sales. Null: none has a price in money. */
  readonly currency: string | null
  /** The last 30 days including today, oldest first. Days without payments are included. */
  readonly days: readonly DailyTotals[]
  /** Counted up to `MAX_COUNT` and one each. */
  readonly open: { readonly pending: number; readonly detected: number }
  /** Number of paid invoices with payments removed by a reorganisation, counted up to `MAX_COUNT` and one. */
  readonly reorgedTotal: number
  /** Number of overpaid invoices that were paid in the last 30 days, counted up to `MAX_COUNT` and one. */
  readonly overpaidTotal: number
  /** Number of invoices that money reached after they had closed, in the last 30 days, counted likewise. */
  readonly lateTotal: number
  /** Number of invoices that closed underpaid and whose payments still wait for a decision, counted likewise. */
  readonly underpaidTotal: number
}

/** The totals of a period so far, and those by which it is compared with the previous one; null on its first day. */
export interface ComparedTotals extends PeriodTotals {
  readonly compared: { readonly current: PeriodTotals; readonly earlier: PeriodTotals } | null
}

const DAYS = 30

/** The start of the first of the last 30 days. */
export function startOfListedDays(now: number): number {
  return startOfDay(now) - (DAYS - 1) * DAY_SECS
}

/** Reads the figures. @param lateWatchDays how long late payments count */
export async function readFigures(
  tx: Tx,
  account: Account,
  now: number,
  lateWatchDays: number,
): Promise<DashboardFigures> {
  const today = startOfDay(now)
  const from = startOfListedDays(now)
  const earliest = startOfMonth(startOfMonth(now) - DAY_SECS)
  const paid = await tx.dashboard.paidByDay(account.id, earliest)
  const prices = await tx.dashboard.pricesByDay(account.id, earliest)
  const currency = mostUsedCurrency(prices)
  const totals = (span: Span) => totalsOf(paid, prices, currency, span)
  const since = (start: number) => totals({ from: start, to: today + DAY_SECS })
  const compared = (start: number, comparison: Comparison | null): ComparedTotals => ({
    ...since(start),
    compared: comparison && { current: totals(comparison.current), earlier: totals(comparison.earlier) },
  })
  const count = (status: InvoiceStatus, createdFrom: number) =>
    tx.dashboard.countByStatus(account.id, status, createdFrom, MAX_COUNT + 1)
  return {
    today: since(today),
    yesterday: totals({ from: today - DAY_SECS, to: today }),
    week: compared(startOfWeek(now), weekComparison(now)),
    month: compared(startOfMonth(now), monthComparison(now)),
    currency,
    days: everyDay(paid, from),
    open: {
      pending: await count('pending', 0),
      detected: await count('detected', 0),
    },
    reorgedTotal: await tx.dashboard.countNeedingAttention(account.id, MAX_COUNT + 1),
    overpaidTotal: await tx.dashboard.countOverpaid(account.id, from, MAX_COUNT + 1),
    lateTotal: await tx.dashboard.countLate(account.id, from, MAX_COUNT + 1),
    underpaidTotal: await tx.dashboard.countUnderpaid(
      account.id,
      now - Math.max(lateWatchDays + 1, DAYS) * DAY_SECS,
      MAX_COUNT + 1,
    ),
  }
}

function everyDay(paid: readonly DailyTotals[], from: number): DailyTotals[] {
  const known = new Map(paid.map(totals => [totals.day, totals]))
  return Array.from({ length: DAYS }, (_, index) => {
    const day = from + index * DAY_SECS
    return known.get(day) ?? { day, receivedZat: 0n, refundedZat: 0n, invoices: 0 }
  })
}
