import { type Child, type Html, html } from '../html.ts'

/** Terms with their values. */
export function definitionList(rows: readonly (readonly [term: string, value: Child])[]): Html {
  return html`<dl class="facts">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}
