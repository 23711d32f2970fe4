import type { Zat } from '../../domain/money.ts'
import type { DailyTotals } from '../../ports/repository/sale/dashboard.ts'
import { formatDay as dayOf, formatZecAmount, headlineZec } from '../format.ts'
import { type Html, html } from '../html.ts'
import { plain, say } from '../text/dashboard.ts'

const HEIGHT = 100
const STEP = 10

/** A bar chart with one bar per day, and the same figures as a table for screen readers. */
export function dailyChart(days: readonly DailyTotals[]): Html {
  const max = days.reduce((highest, { receivedZat }) => (receivedZat > highest ? receivedZat : highest), 0n)
  const first = days.at(0)
  const last = days.at(-1)
  if (!first || !last) return html``
  return html`<figure class="plot">
    <div class="plot-scale" aria-hidden="true"><span>${headlineZec(max)}</span><span>0</span></div>
    <svg viewBox="0 0 ${days.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${plain('plot_label', { count: days.length, amount: formatZecAmount(max) })}">${days.map((totals, index) => bar(totals, index, max))}</svg>
    <div class="plot-days" aria-hidden="true"><span>${dayOf(first.day)}</span><span>${dayOf(last.day)}</span></div>
    <details><summary>${say('plot_table')}</summary>${table(days)}</details>
  </figure>`
}

function bar({ day, receivedZat, invoices }: DailyTotals, index: number, max: Zat): Html {
  const height = max === 0n ? 0 : Math.max(receivedZat > 0n ? 1 : 0, Number((receivedZat * BigInt(HEIGHT)) / max))
  const x = index * STEP + 1
  return html`<g><title>${plain('plot_day_title', { day: dayOf(day), amount: formatZecAmount(receivedZat), count: invoices })}</title><rect class="plot-day" x="${index * STEP}" y="0" width="${STEP}" height="${HEIGHT}"/>${height > 0 && html`<rect class="plot-bar" x="${x}" y="${HEIGHT - height}" width="${STEP - 2}" height="${height}"/>`}</g>`
}

function table(days: readonly DailyTotals[]): Html {
  const rows = days
    .toReversed()
    .map(
      ({ day, receivedZat, invoices }) =>
        html`<tr><th scope="row">${dayOf(day)}</th><td class="number">${formatZecAmount(receivedZat)}</td><td class="number">${invoices}</td></tr>`,
    )
  return html`<table><thead><tr><th scope="col">${say('plot_day')}</th><th scope="col" class="number">${say('received')}</th><th scope="col" class="number">${say('plot_paid')}</th></tr></thead><tbody>${rows}</tbody></table>`
}
