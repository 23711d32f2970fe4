import { referencePage as frame } from '../components/layout.ts'
import { type Html, html } from '../html.ts'

export function guidePage({
  title,
  links,
  body,
}: {
  readonly title: string
  readonly links: Html
  readonly body: Html
}): Html {
  return frame({
    title,
    contents: html`<h2><a href="/docs">API reference</a></h2>${links}`,
    body: html`<article class="guide">${body}</article>`,
  })
}
