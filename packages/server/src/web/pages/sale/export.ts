import type { ExportKind } from '../../../domain/sale/export.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

export function exportPage(
  user: PageUser,
  view: {
    readonly token: string
    readonly kind: ExportKind
    readonly error?: string
    readonly from?: string
    readonly to?: string
  },
): Html {
  const kind = (name: ExportKind, label: string) =>
    html`<label class="choice"><input type="radio" name="kind" value="${name}"${booleanAttribute('checked', name === view.kind)}> ${label}</label>`
  return dashboardPage({
    ...user,
    menuPath: '/export',
    title: 'Export',
    error: view.error,
    body: html`
      <p class="lead">Download the invoices or refunds of a period as a file for your accounting or your own programs.</p>
      <form class="card narrow" method="post" action="/export/download">
        <fieldset><legend>Content</legend>
          ${kind('invoices', 'Invoices')}
          ${kind('refunds', 'Refunds, without addresses')}
        </fieldset>
        <div class="pair">
          <div class="field"><label for="from">From</label><input id="from" name="from" type="date" value="${view.from}" aria-describedby="period-hint"></div>
          <div class="field"><label for="to">To</label><input id="to" name="to" type="date" value="${view.to}" aria-describedby="period-hint"></div>
        </div>
        <p class="hint" id="period-hint">UTC days, both included, by creation date. Leave empty to export everything.</p>
        <fieldset><legend>Format</legend>
          <label class="choice"><input type="radio" name="format" value="csv" checked> CSV, for spreadsheets (0.5)</label>
          <label class="choice"><input type="radio" name="format" value="csv_semicolon"> CSV, for spreadsheets with a decimal comma (0,5)</label>
          <label class="choice"><input type="radio" name="format" value="json"> JSON, for programs</label>
        </fieldset>
        <input type="hidden" name="token" value="${view.token}">
        <button class="primary">Download</button>
      </form>`,
  })
}
