import { INVOICE_STATUSES, type Invoice, type InvoiceStatus } from '../../../domain/sale/invoice.ts'
import type { Totals } from '../../../ports/repository/page.ts'
import type { InvoiceFilter } from '../../../ports/repository/sale/invoice.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { exportButton, filterForm, totalsLine } from '../../components/list.ts'
import { livePart } from '../../components/live.ts'
import { type PagerLinks, pager } from '../../components/pager.ts'
import { invoiceTable } from '../../components/sale/invoice-table.ts'
import { saleTabs } from '../../components/sale/tabs.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

/** Values of the filter other than the statuses, with what they select and their names. */
export const FLAG_FILTERS = {
  part_paid: { filter: { partPaid: true }, label: plain('filter_part_paid') },
  late: { filter: { late: true }, label: plain('filter_late') },
  overpaid: { filter: { overpaid: true }, label: plain('filter_overpaid') },
  canceled: { filter: { canceled: true }, label: plain('filter_canceled') },
  refunded: { filter: { refunded: true }, label: plain('filter_refunded') },
  attention: { filter: { needsAttention: true }, label: plain('filter_attention') },
} as const satisfies Readonly<Record<string, { readonly filter: InvoiceFilter; readonly label: string }>>

export type FlagFilter = keyof typeof FLAG_FILTERS

interface InvoicesView extends PagerLinks {
  readonly invoices: readonly Invoice[]
  readonly search: string
  readonly status: InvoiceStatus | FlagFilter | null
  /** `YYYY-MM-DD`, or empty. */
  readonly from: string
  readonly to: string
  /** The totals of all invoices of the filter. Null for a search, which has no more than it lists. */
  readonly totals: Totals | null
  /** The token of the form that exports. */
  readonly token: string
  readonly error?: string
}

export function invoicesPage(user: PageUser, view: InvoicesView): Html {
  const { search, status, from, to } = view
  const used = [status ?? '', from, to].filter(value => value !== '').length
  const isFiltered = search !== '' || used > 0
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: plain('invoices'),
    error: view.error,
    isLive: true,
    actions: html`<a class="button primary" href="/invoices/new">${say('invoice_new')}</a>`,
    body: html`
      ${saleTabs('/invoices')}
      ${filters(view, used, isFiltered)}
      <section class="card" aria-label="${plain('invoices')}">
        ${livePart('list', html`${list(view, isFiltered)}`)}
      </section>`,
  })
}

function list(view: InvoicesView, isFiltered: boolean): Html {
  const { invoices, totals, token, status, from, to } = view
  if (invoices.length === 0)
    return html`<p class="empty" data-recheck>${say(isFiltered ? 'invoices_no_match' : 'invoices_none')}</p>`
  return html`${totals && html`<div class="summary">${totalsLine(totals, 'invoices')}${exportButton('invoices', token, { status: status ?? '', from, to })}</div>`}
    <div data-recheck>${invoiceTable(invoices)}</div>
    ${pager(view)}`
}

function filters({ search, status, from, to }: InvoicesView, used: number, isFiltered: boolean): Html {
  const option = (name: string, label: string) =>
    html`<option value="${name}"${booleanAttribute('selected', name === status)}>${label}</option>`
  const options = INVOICE_STATUSES.map(name => option(name, name))
  const flags = Object.entries(FLAG_FILTERS).map(([name, { label }]) => option(name, label))
  return filterForm({
    path: '/invoices',
    label: plain('search_invoices'),
    action: plain('search'),
    used,
    isFiltered,
    search: html`<div class="field grow"><label for="q">${say('search')}</label><input id="q" name="q" type="search" value="${search}" maxlength="512" placeholder="${plain('search_placeholder')}" autocomplete="off" spellcheck="false"></div>`,
    fields: html`<div class="field all"><label for="status">${say('status')}</label><select id="status" name="status"><option value="">${say('any')}</option>${options}<hr>${flags}</select></div>
      <div class="field"><label for="from">${say('day_from')}</label><input id="from" name="from" type="date" value="${from}"></div>
      <div class="field"><label for="to">${say('day_to')}</label><input id="to" name="to" type="date" value="${to}"></div>`,
  })
}
