import type { DailyTotals } from '../../../ports/repository/sale/dashboard.ts'
import { amountClass, formatZecAmount, groupThousands, headlineZec } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { ShownPeriod, ShownSales } from '../../shown-sales.ts'
import { dailyChart } from '../chart.ts'

/** What the sales of today, this week and this month have brought, and a plot of the last days. */
export function salesCard(sales: ShownSales, days: readonly DailyTotals[]): Html {
  const { today, yesterday, week, month, change, currency } = sales
  const isEstimated = [today, week, month].some(({ isExact }) => !isExact)
  return html`<section class="card sales" aria-labelledby="sales"><h2 id="sales">Sales</h2>
    <div class="periods">
      ${period('Today', today, yesterdayLine(yesterday))}
      ${period('This week', week, changeLine(change.week, 'last week'))}
      ${period('This month', month, changeLine(change.month, 'last month'))}
    </div>
    <h3>The last 30 days</h3>
    ${dailyChart(days)}
    <p class="hint">Counted on the day an invoice was paid, in UTC. Periods are compared by their complete days, so without today.${isEstimated && ` ≈ values what had no price in ${currency} at the current rate.`}</p>
  </section>`
}

function period(label: string, totals: ShownPeriod, compared: Child): Html {
  const { money, isExact, receivedZat, refundedZat, invoices } = totals
  const zec = html`<span class="amount" title="${formatZecAmount(receivedZat)}">${headlineZec(receivedZat)}</span>`
  const headline = money ?? headlineZec(receivedZat)
  const refunded = refundedZat > 0n && html` · ${headlineZec(refundedZat)} refunded`
  return html`<div class="period"><h3>${label}</h3>
      <p class="big ${amountClass(headline)}">${money !== null && !isExact && html`<span aria-hidden="true">≈ </span><span class="unseen">about </span>`}${headline}</p>
      <p class="below">${money !== null && html`${zec} · `}${groupThousands(invoices)} paid${refunded}</p>
      <p class="below compared">${compared}</p></div>`
}

const NOTHING = html`<span aria-hidden="true">—</span><span class="unseen">nothing to compare with</span>`
/** A larger change says nothing more. */
const MAX_PERCENT = 999

function changeLine(percent: number | null, before: string): Html {
  if (percent === null) return NOTHING
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : '±'
  const size = Math.abs(percent)
  const text = size > MAX_PERCENT ? `over ${sign}${MAX_PERCENT} %` : `${sign}${size} %`
  return html`<b class="${percent < 0 ? 'down' : 'up'}">${text}</b> on ${before}`
}

function yesterdayLine({ money, receivedZat, invoices }: ShownPeriod): Html {
  if (invoices === 0) return html`nothing yesterday`
  return html`yesterday ${money ?? headlineZec(receivedZat)}, ${invoices} paid`
}
