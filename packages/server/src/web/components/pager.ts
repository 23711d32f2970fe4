import { type Html, html } from '../html.ts'

/** Links below a list to its other pages. A null link is left out. */
export function pager({ older, newest = null }: { older: string | null; newest?: string | null }): Html | false {
  if (newest === null && older === null) return false
  return html`<nav class="pager" aria-label="Pages">${newest !== null && html`<a class="button" href="${newest}">Newest</a>`}${older !== null && html`<a class="button" href="${older}" rel="next">Older</a>`}</nav>`
}
