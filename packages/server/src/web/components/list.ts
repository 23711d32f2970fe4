import { formatCount, MAX_TOTALLED } from '../../domain/count.ts'
import type { ExportKind } from '../../domain/sale/export.ts'
import type { Totals } from '../../ports/repository/page.ts'
import { formatZecAmount } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'
import { plain, say } from '../text/dashboard.ts'

/**
 * The link of a row of a list with the class `rows`: all of the row opens it.
 * @param name for screen readers, which hear links without their row
 */
export function rowLink(href: string, text: Child, name: string, kind = ''): Html {
  return html`<a href="${href}" class="row${kind === '' ? '' : ` ${kind}`}" aria-label="${name}">${text}</a>`
}

const TOTALS = {
  invoices: { all: 'invoices_total', newest: 'invoices_total_newest' },
  refunds: { all: 'refunds_total', newest: 'refunds_total_newest' },
} as const

/** How many rows a filter has, and the sum of their amounts. */
export function totalsLine({ count, zat }: Totals, kind: ExportKind): Html {
  const { all, newest } = TOTALS[kind]
  const values = {
    count: formatCount(count, MAX_TOTALLED),
    amount: html`<span class="amount">${formatZecAmount(zat)}</span>`,
  }
  const line =
    count > MAX_TOTALLED ? say(newest, { ...values, max: formatCount(MAX_TOTALLED, MAX_TOTALLED) }) : say(all, values)
  return html`<p class="totals">${line}</p>`
}

/** A form that downloads the rows of a filter. @param fields of the form of the page Export, with the filter */
export function exportButton(kind: ExportKind, token: string, fields: Readonly<Record<string, string>>): Html {
  const sent = Object.entries({ kind, format: 'csv', token, ...fields }).filter(([, value]) => value !== '')
  return html`<form class="export" method="post" action="/export/download">${sent.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>${say('export_csv')}</button></form>`
}

interface FilterForm {
  readonly path: string
  /** For screen readers. */
  readonly label: string
  /** A field that is always shown. */
  readonly search?: Child
  /** Fields that are behind one button on phones. */
  readonly fields: Child
  /** How many of these fields filter. */
  readonly used: number
  readonly isFiltered: boolean
  /** The text of the button. Default: that it shows what the filter selects. */
  readonly action?: string
}

/** The form above a list that filters it. */
export function filterForm(form: FilterForm): Html {
  const { path, label, search = false, fields, used, isFiltered, action = plain('filter_show') } = form
  return html`<form class="filters" method="get" action="${path}" role="search" aria-label="${label}">
    ${search}
    <details class="more"><summary class="button">${used > 0 ? say('filters_used', { count: used }) : say('filters')}</summary><div class="fields">${fields}</div></details>
    <div class="buttons"><button>${action}</button>${isFiltered && html`<a class="button quiet" href="${path}">${say('filter_clear')}</a>`}</div>
  </form>`
}
