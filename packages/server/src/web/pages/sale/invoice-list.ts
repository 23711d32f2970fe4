import { INVOICE_STATUSES, type Invoice, type InvoiceStatus } from '../../../domain/sale/invoice.ts'
import type { InvoiceFilter } from '../../../ports/repository/sale/invoice.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { pager } from '../../components/pager.ts'
import { invoiceTable } from '../../components/sale/invoice-table.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

/** Values of the filter besides the statuses, with what they select and their names. */
export const FLAG_FILTERS = {
  part_paid: { filter: { partPaid: true }, label: 'part paid' },
  late: { filter: { late: true }, label: 'paid late' },
  overpaid: { filter: { overpaid: true }, label: 'overpaid' },
  canceled: { filter: { canceled: true }, label: 'canceled' },
  refunded: { filter: { refunded: true }, label: 'refunded' },
  attention: { filter: { needsAttention: true }, label: 'payment missing' },
} as const satisfies Readonly<Record<string, { readonly filter: InvoiceFilter; readonly label: string }>>

type FlagFilter = keyof typeof FLAG_FILTERS

interface InvoicesView {
  readonly invoices: readonly Invoice[]
  readonly search: string
  readonly status: InvoiceStatus | FlagFilter | null
  /** `YYYY-MM-DD`, or empty. */
  readonly from: string
  readonly to: string
  /** Links to other pages of the list; null if there is none. */
  readonly newest: string | null
  readonly older: string | null
  readonly error?: string
}

export function invoicesPage(user: PageUser, view: InvoicesView): Html {
  const filtered = view.search !== '' || view.status !== null || view.from !== '' || view.to !== ''
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: 'Invoices',
    error: view.error,
    actions: html`<a class="button primary" href="/invoices/new">New invoice</a>`,
    body: html`
      ${filters(view, filtered)}
      <section class="card" aria-label="Invoices">
        ${view.invoices.length > 0 ? invoiceTable(view.invoices) : html`<p class="empty">${filtered ? 'No matching invoices.' : 'No invoices yet.'}</p>`}
        ${pager(view)}
      </section>`,
  })
}

function filters({ search, status, from, to }: InvoicesView, filtered: boolean): Html {
  const option = (name: string, label: string) =>
    html`<option value="${name}"${booleanAttribute('selected', name === status)}>${label}</option>`
  const options = INVOICE_STATUSES.map(name => option(name, name))
  const flags = Object.entries(FLAG_FILTERS).map(([name, { label }]) => option(name, label))
  return html`<form class="filters" method="get" action="/invoices" role="search" aria-label="Search invoices">
    <div class="field grow"><label for="q">Search</label><input id="q" name="q" type="search" value="${search}" maxlength="512" placeholder="Order, ID, address or transaction" autocomplete="off" spellcheck="false"></div>
    <div class="field all"><label for="status">Status</label><select id="status" name="status"><option value="">any</option>${options}<hr>${flags}</select></div>
    <div class="field"><label for="from">From</label><input id="from" name="from" type="date" value="${from}"></div>
    <div class="field"><label for="to">To</label><input id="to" name="to" type="date" value="${to}"></div>
    <div class="field buttons"><button>Search</button>${filtered && html` <a class="button quiet" href="/invoices">Clear</a>`}</div>
  </form>`
}
