import { type Html, html } from '../html.ts'
import { plain, say } from '../text/dashboard.ts'

export interface PagerLinks {
  /** Null: this is the first page. */
  readonly newer?: string | null
  /** Null: this is the last page. */
  readonly older: string | null
}

/** Links below a list to the pages before and after this one. A null link is left out. */
export function pager({ newer = null, older }: PagerLinks): Html | false {
  if (newer === null && older === null) return false
  return html`<nav class="pager" aria-label="${plain('pages')}">${newer !== null && html`<a class="button" href="${newer}" rel="prev">${say('newer')}</a>`}${older !== null && html`<a class="button" href="${older}" rel="next">${say('older')}</a>`}</nav>`
}
