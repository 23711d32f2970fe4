import type { DailyTotals } from '../../../ports/repository/sale/dashboard.ts'
import { amountClass, formatZecAmount, headlineZec } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { ShownPeriod, ShownSales } from '../../shown-sales.ts'
import { plain, say } from '../../text/dashboard.ts'
import { dailyChart } from '../chart.ts'

/** The sales of today, this week and this month, and a plot of the last days. */
export function salesCard(sales: ShownSales, days: readonly DailyTotals[]): Html {
  const { today, yesterday, week, month, change, currency } = sales
  const isEstimated = [today, week, month].some(({ isExact }) => !isExact)
  return html`<section class="card sales" aria-labelledby="sales"><h2 id="sales">${say('sales')}</h2>
    <div class="periods">
      ${period(plain('sales_today'), today, yesterdayLine(yesterday))}
      ${period(plain('sales_week'), week, changeLine(change.week, 'sales_change_week'))}
      ${period(plain('sales_month'), month, changeLine(change.month, 'sales_change_month'))}
    </div>
    <h3>${say('sales_days')}</h3>
    ${dailyChart(days)}
    <p class="hint">${say('sales_counted')}${isEstimated && html` ${say('sales_estimated', { currency })}`}</p>
  </section>`
}

function period(label: string, totals: ShownPeriod, compared: Child): Html {
  const { money, isExact, receivedZat, refundedZat, invoices } = totals
  const zec = html`<span class="amount" title="${formatZecAmount(receivedZat)}">${headlineZec(receivedZat)}</span>`
  const headline = money ?? headlineZec(receivedZat)
  const refunded = refundedZat > 0n && html` · ${say('amount_refunded', { amount: headlineZec(refundedZat) })}`
  return html`<div class="period"><h3>${label}</h3>
      <p class="big ${amountClass(headline)}">${money !== null && !isExact && html`<span aria-hidden="true">≈ </span><span class="unseen">${say('sales_about')} </span>`}${headline}</p>
      <p class="below">${money !== null && html`${zec} · `}${say('sales_paid', { count: invoices })}${refunded}</p>
      <p class="below compared">${compared}</p></div>`
}

const NOTHING = html`<span aria-hidden="true">—</span><span class="unseen">${say('sales_nothing_before')}</span>`
/** A larger change says nothing more. */
const MAX_PERCENT = 999

function changeLine(percent: number | null, line: 'sales_change_week' | 'sales_change_month'): Html {
  if (percent === null) return NOTHING
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '±'
  const size = Math.abs(percent)
  const text =
    size > MAX_PERCENT ? plain('sales_change_over', { change: `${sign}${MAX_PERCENT} %` }) : `${sign}${size} %`
  return say(line, { change: html`<b class="${percent < 0 ? 'down' : 'up'}">${text}</b>` })
}

function yesterdayLine({ money, receivedZat, invoices }: ShownPeriod): Html {
  if (invoices === 0) return say('sales_nothing_yesterday')
  return say('sales_yesterday', { value: money ?? headlineZec(receivedZat), count: invoices })
}
