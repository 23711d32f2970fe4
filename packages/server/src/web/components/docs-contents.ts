import { GUIDES, GUIDES_PATH, guidePath } from '../guides.ts'
import { type Html, html } from '../html.ts'
import { plain } from '../text/dashboard.ts'
import { DOCS } from './nav.ts'

/** Links to the reference of the API and to every guide. @param current the path of the page that is shown */
export function docsContents(current: string): Html {
  const link = (href: string, label: string) =>
    html`<a href="${href}"${href === current && html` aria-current="page"`}>${label}</a>`
  const guides = Object.entries(GUIDES).map(([name, { title }]) => html`<li>${link(guidePath(name), title)}</li>`)
  return html`<h2>${link(DOCS.href, plain('api_reference'))}</h2><h2>${link(GUIDES_PATH, plain('guides'))}</h2><ul>${guides}</ul>`
}
