import { dashboardPage } from '../components/layout.ts'
import { type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'

export function exportPage(
  viewer: Viewer,
  view: { readonly error?: string; readonly from?: string; readonly to?: string },
): Html {
  return dashboardPage({
    ...viewer,
    at: '/export',
    title: 'Export',
    error: view.error,
    body: html`
      <p class="lead">Every invoice of a period, as a file for your books or for a program.</p>
      <form class="card narrow" method="get" action="/export/download">
        <div class="pair">
          <div class="field"><label for="from">From</label><input id="from" name="from" type="date" value="${view.from}" aria-describedby="period-hint"></div>
          <div class="field"><label for="to">To</label><input id="to" name="to" type="date" value="${view.to}" aria-describedby="period-hint"></div>
        </div>
        <p class="hint" id="period-hint">Days of UTC, both included, by the invoice’s creation. Left empty: everything.</p>
        <fieldset><legend>Format</legend>
          <label class="choice"><input type="radio" name="format" value="csv" checked> CSV, for spreadsheets</label>
          <label class="choice"><input type="radio" name="format" value="json"> JSON, for programs</label>
        </fieldset>
        <button class="primary">Download</button>
      </form>`,
  })
}
