import { formatRest } from '../../domain/count.ts'
import { type Child, type Html, html } from '../html.ts'
import { say } from '../text/dashboard.ts'

/** Something that the merchant is to do. */
export interface AttentionItem {
  /** The subject and the number of cases. */
  readonly what: Child
  /** Its consequence, and the remedy. */
  readonly advice: Child
  /** Where it is solved. Null: by itself, or by the operator of the service. */
  readonly link: { readonly href: string; readonly label: Child } | null
  /** Links to the newest of them. */
  readonly newest?: Child
}

/** Everything that waits for the merchant, in one place. */
export function attentionCard(items: readonly AttentionItem[]): Html {
  const rows = items.map(
    ({ what, advice, link, newest }) =>
      html`<li><div>${what !== '' && html`<b>${what}</b> `}<span>${advice}</span>${newest}</div>${link && html`<a class="button" href="${link.href}">${link.label}</a>`}</li>`,
  )
  return html`<section class="card attention" aria-labelledby="attention"><h2 id="attention">${say('attention')}</h2><ul class="attention-list">${rows}</ul></section>`
}

/** More are folded. */
const FEW = 3

/**
 * The newest of many. @param items list items @param total of all, counted up to `MAX_COUNT` and one
 * @param href the list of all
 */
export function newestList(items: readonly Html[], total: number, href: string): Html {
  const rest = formatRest(total, items.length)
  const list = html`<ul class="compact">${items}${rest !== '' && html`<li><a href="${href}">${rest}</a></li>`}</ul>`
  if (total <= FEW) return list
  return html`<details><summary>${say(rest === '' ? 'attention_show_all' : 'attention_show_newest')}</summary>${list}</details>`
}
