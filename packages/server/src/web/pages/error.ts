import type { AppError } from '../../domain/error.ts'
import { type BuyerView, buyerPage } from '../components/buyer/buyer-page.ts'
import { signedOutPage } from '../components/layout.ts'
import { type Child, type Html, html } from '../html.ts'
import type { MessageName } from '../text/catalog.ts'
import { say } from '../text/dashboard.ts'

/** An error page, with a link to the dashboard. */
export function errorPage(title: string, text: string): Html {
  return signedOutPage({
    title,
    body: card(title, text, html`<p><a class="button" href="/">${say('go_to_dashboard')}</a></p>`),
  })
}

/** An error page for buyers, for whom the dashboard is a wrong way. @param detail in English, for who made the link */
export function buyerErrorPage(view: BuyerView, kind: AppError['kind'], detail: string): Html {
  const { text } = view
  const [title, sentence] = BUYER_ERRORS[kind] ?? BUYER_ERRORS.internal
  return buyerPage(view, {
    title: text.plain(title),
    body: html`<h1>${text.say(title)}</h1><p class="center">${kind === 'invalid' ? detail : text.say(sentence)}</p>`,
  })
}

type ErrorText = readonly [title: MessageName, sentence: MessageName]

const BUYER_ERRORS: Readonly<Partial<Record<AppError['kind'], ErrorText>>> & { readonly internal: ErrorText } = {
  not_found: ['link_broken', 'link_broken_text'],
  invalid: ['link_broken', 'link_broken_text'],
  gone: ['link_gone', 'link_gone_text'],
  too_many: ['too_many', 'too_many_text'],
  internal: ['went_wrong', 'went_wrong_text'],
}

function card(title: string, text: string, next: Child): Html {
  return html`<div class="card narrow"><h1>${title}</h1><p>${text}</p>${next}</div>`
}
