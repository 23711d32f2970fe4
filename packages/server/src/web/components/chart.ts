import type { Zat } from '../../domain/money.ts'
import type { DayFigures } from '../../ports/repository/dashboard.ts'
import { day as dayOf, zec } from '../format.ts'
import { type Html, html } from '../html.ts'

const HEIGHT = 100
const STEP = 10

/** Bars of the days, with the same figures as a table for those who do not see them. */
export function dailyPlot(days: readonly DayFigures[]): Html {
  const most = days.reduce((top, { receivedZat }) => (receivedZat > top ? receivedZat : top), 0n)
  const first = days.at(0)
  const last = days.at(-1)
  if (!first || !last) return html``
  return html`<figure class="plot">
    <div class="plot-scale" aria-hidden="true"><span>${zec(most)}</span><span>0</span></div>
    <svg viewBox="0 0 ${days.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Received on each of the last ${days.length} days, at most ${zec(most)} in one">${days.map((one, index) => bar(one, index, most))}</svg>
    <div class="plot-days" aria-hidden="true"><span>${dayOf(first.day)}</span><span>${dayOf(last.day)}</span></div>
    <details><summary>The same as a table</summary>${table(days)}</details>
  </figure>`
}

function bar({ day, receivedZat, invoices }: DayFigures, index: number, most: Zat): Html {
  const height = most === 0n ? 0 : Math.max(receivedZat > 0n ? 1 : 0, Number((receivedZat * BigInt(HEIGHT)) / most))
  const x = index * STEP + 1
  return html`<g><title>${dayOf(day)}: ${zec(receivedZat)}, ${invoices} paid</title><rect class="plot-ground" x="${x}" y="0" width="${STEP - 2}" height="${HEIGHT}"/><rect class="plot-bar" x="${x}" y="${HEIGHT - height}" width="${STEP - 2}" height="${height}"/></g>`
}

function table(days: readonly DayFigures[]): Html {
  const rows = days
    .toReversed()
    .map(
      ({ day, receivedZat, invoices }) =>
        html`<tr><th scope="row">${dayOf(day)}</th><td class="number">${zec(receivedZat)}</td><td class="number">${invoices}</td></tr>`,
    )
  return html`<table><thead><tr><th scope="col">Day, UTC</th><th scope="col" class="number">Received</th><th scope="col" class="number">Paid</th></tr></thead><tbody>${rows}</tbody></table>`
}
