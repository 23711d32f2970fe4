import { plainPage } from '../components/layout.ts'
import { type Html, html } from '../html.ts'

/** What went wrong, in a sentence, and a way on. */
export function faultPage(title: string, text: string): Html {
  return plainPage({
    title,
    body: html`<div class="card narrow"><h1>${title}</h1><p>${text}</p><p><a class="button" href="/">Go to the dashboard</a></p></div>`,
  })
}
