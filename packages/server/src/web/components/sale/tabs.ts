import { type Html, html } from '../../html.ts'
import { plain } from '../../text/dashboard.ts'

const TABS = [
  ['/invoices', plain('invoices')],
  ['/refunds', plain('refunds')],
] as const

/** The lists of the menu item Invoices. */
export function saleTabs(current: (typeof TABS)[number][0]): Html {
  const links = TABS.map(
    ([href, label]) => html`<a href="${href}"${href === current && html` aria-current="page"`}>${label}</a>`,
  )
  return html`<nav class="tabs" aria-label="${plain('lists')}">${links}</nav>`
}
