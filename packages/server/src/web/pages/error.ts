import { plainPage } from '../components/layout.ts'
import { type Html, html } from '../html.ts'

/** An error page with a link to the dashboard. */
export function errorPage(title: string, text: string): Html {
  return plainPage({
    title,
    body: html`<div class="card narrow"><h1>${title}</h1><p>${text}</p><p><a class="button" href="/">Go to the dashboard</a></p></div>`,
  })
}
