import { type Embedding, plainPage, signedOutPage } from '../components/layout.ts'
import { NOT_FOUND } from '../error-text.ts'
import { type Child, type Html, html } from '../html.ts'

/** An error page, with a link to the dashboard. */
export function errorPage(title: string, text: string): Html {
  return signedOutPage({
    title,
    body: card(title, text, html`<p><a class="button" href="/">Go to the dashboard</a></p>`),
  })
}

/** An error page of the checkout. Its readers are buyers, for whom the dashboard is a wrong way. */
export function checkoutErrorPage(title: string, text: string, embedding: Embedding | null): Html {
  const help = html`<p>Please check the link that the shop gave you. If it does not work, ask the shop for a new one.</p>`
  return plainPage({ title, embedding, body: card(title, text, title === NOT_FOUND && help) })
}

function card(title: string, text: string, next: Child): Html {
  return html`<div class="card narrow"><h1>${title}</h1><p>${text}</p>${next}</div>`
}
