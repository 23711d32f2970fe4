import type { ExportKind } from '../../../domain/sale/export.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

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
    title: plain('export'),
    error: view.error,
    body: html`
      <p class="lead">${say('export_lead')}</p>
      <form class="card narrow" method="post" action="/export/download">
        <fieldset><legend>${say('export_content')}</legend>
          ${kind('invoices', plain('invoices'))}
          ${kind('refunds', plain('export_refunds'))}
        </fieldset>
        <div class="pair">
          <div class="field"><label for="from">${say('day_from')}</label><input id="from" name="from" type="date" value="${view.from}" aria-describedby="period-hint"></div>
          <div class="field"><label for="to">${say('day_to')}</label><input id="to" name="to" type="date" value="${view.to}" aria-describedby="period-hint"></div>
        </div>
        <p class="hint" id="period-hint">${say('export_period_hint')}</p>
        <fieldset><legend>${say('export_format')}</legend>
          <label class="choice"><input type="radio" name="format" value="csv" checked> ${say('export_format_csv')}</label>
          <label class="choice"><input type="radio" name="format" value="csv_semicolon"> ${say('export_format_csv_comma')}</label>
          <label class="choice"><input type="radio" name="format" value="json"> ${say('export_format_json')}</label>
        </fieldset>
        <input type="hidden" name="token" value="${view.token}">
        <button class="primary">${say('export_download')}</button>
      </form>`,
  })
}
