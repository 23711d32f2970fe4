import { formatCount, MAX_TOTALLED } from '../../domain/count.ts'
import type { ExportKind } from '../../domain/sale/export.ts'
import type { Totals } from '../../ports/repository/page.ts'
import { formatZecAmount } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'

/**
 * The link of a row of a list with the class `rows`: all of the row opens it.
 * @param name for screen readers, which hear links without their row
 */
export function rowLink(href: string, text: Child, name: string, kind = ''): Html {
  return html`<a href="${href}" class="row${kind === '' ? '' : ` ${kind}`}" aria-label="${name}">${text}</a>`
}

/** How many rows a filter has, and the sum of their amounts. @param verb such as `received` */
export function totalsLine({ count, zat }: Totals, noun: string, verb: string): Html {
  const rows = `${formatCount(count, MAX_TOTALLED)} ${noun}${count === 1 ? '' : 's'}`
  const isCapped = count > MAX_TOTALLED
  return html`<p class="totals"><b>${rows}</b> · <span class="amount">${formatZecAmount(zat)}</span> ${verb}${isCapped && ` by the newest ${formatCount(MAX_TOTALLED)}`}</p>`
}

/** A form that downloads the rows of a filter. @param fields of the form of the page Export, with the filter */
export function exportButton(kind: ExportKind, token: string, fields: Readonly<Record<string, string>>): Html {
  const sent = Object.entries({ kind, format: 'csv', token, ...fields }).filter(([, value]) => value !== '')
  return html`<form class="export" method="post" action="/export/download">${sent.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>Export CSV</button></form>`
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
  /** Of the button. Default: `Show`. */
  readonly action?: string
}

/** The form above a list that filters it. */
export function filterForm(form: FilterForm): Html {
  const { path, label, search = false, fields, used, isFiltered, action = 'Show' } = form
  return html`<form class="filters" method="get" action="${path}" role="search" aria-label="${label}">
    ${search}
    <details class="more"><summary class="button">Filters${used > 0 && ` (${used})`}</summary><div class="fields">${fields}</div></details>
    <div class="buttons"><button>${action}</button>${isFiltered && html`<a class="button quiet" href="${path}">Clear</a>`}</div>
  </form>`
}
