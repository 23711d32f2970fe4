import { type Embedding, plainPage } from '../components/layout.ts'
import { type Html, html } from '../html.ts'

/** An error page, with a link to the dashboard unless it is shown in a frame of another site. */
export function errorPage(title: string, text: string, embedding: Embedding | null = null): Html {
  return plainPage({
    title,
    embedding,
    body: html`<div class="card narrow"><h1>${title}</h1><p>${text}</p>${!embedding && html`<p><a class="button" href="/">Go to the dashboard</a></p>`}</div>`,
  })
}
