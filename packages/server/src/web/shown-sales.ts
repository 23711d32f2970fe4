import type { Rate } from '../domain/rate.ts'
import { changePercent, type PeriodTotals, salesValue } from '../domain/sale/sales-figures.ts'
import type { ComparedTotals, DashboardFigures } from '../services/sale/dashboard-figures.ts'
import { headlineMoney } from './format.ts'

/** A period with its value in money. */
export interface ShownPeriod extends PeriodTotals {
  /** `€5,481`. Null: not known. */
  readonly money: string | null
  /** False: a part of the money is ZEC at the current rate. */
  readonly isExact: boolean
}

/** The sales of today, this week and this month. */
export interface ShownSales {
  /** The currency of the sums. */
  readonly currency: string
  readonly today: ShownPeriod
  readonly yesterday: ShownPeriod
  readonly week: ShownPeriod
  readonly month: ShownPeriod
  /** By how many percent the complete days of a period differ from the same ones before. Null: nothing to compare with. */
  readonly change: { readonly week: number | null; readonly month: number | null }
}

/** Values the figures in a currency. @param rate the current one in this currency; null: not known */
export function shownSales(figures: DashboardFigures, currency: string, rate: Pick<Rate, 'price'> | null): ShownSales {
  const shown = (totals: PeriodTotals): ShownPeriod => {
    const value = salesValue(totals, currency, rate)
    return { ...totals, money: value && headlineMoney(value.units, currency), isExact: value?.isExact ?? true }
  }
  const change = ({ compared }: ComparedTotals): number | null => {
    if (compared === null) return null
    const { current, earlier } = compared
    const [now, before] = [salesValue(current, currency, rate), salesValue(earlier, currency, rate)]
    if (now === null || before === null) return changePercent(current.receivedZat, earlier.receivedZat)
    return changePercent(now.units, before.units)
  }
  const { today, yesterday, week, month } = figures
  return {
    currency,
    today: shown(today),
    yesterday: shown(yesterday),
    week: shown(week),
    month: shown(month),
    change: { week: change(week), month: change(month) },
  }
}

/** Whether a rate is needed to value the figures. */
export function needsRate({ today, week, month, yesterday }: DashboardFigures): boolean {
  const periods = [
    today,
    yesterday,
    week,
    month,
    ...[week, month].flatMap(({ compared }) => Object.values(compared ?? {})),
  ]
  return periods.some(({ priced, invoices }) => priced.invoices < invoices)
}
