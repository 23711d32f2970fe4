import { type Html, html } from '../../html.ts'

const TABS = [
  ['/invoices', 'Invoices'],
  ['/refunds', 'Refunds'],
] as const

/** The lists of the menu item Invoices. */
export function saleTabs(current: (typeof TABS)[number][0]): Html {
  const links = TABS.map(
    ([href, label]) => html`<a href="${href}"${href === current && html` aria-current="page"`}>${label}</a>`,
  )
  return html`<nav class="tabs" aria-label="Lists">${links}</nav>`
}
