import { PAGE_LOCALES, type PageLocale } from '../../../domain/locale.ts'
import { type Child, type Html, html } from '../../html.ts'
import { LANGUAGE_NAMES } from '../../text/languages.ts'
import type { Text } from '../../text/text.ts'
import { type Embedding, type PageOptions, plainPage } from '../layout.ts'
import { copyIn } from './copy.ts'
import { type Shop, shopHeader, supportLink } from './shop.ts'

/** Values shared by all pages for buyers. */
export interface BuyerView {
  readonly text: Text
  readonly shop: Shop
  /** Null: the page is not shown in a frame. */
  readonly embedding: Embedding | null
  /** The money is not real: the network is not the main one. */
  readonly isTest: boolean
  /** The address of this page in another language. Undefined: it cannot be opened again, such as the answer to a form. */
  readonly inLanguage?: ((locale: PageLocale) => string) | undefined
}

interface BuyerPage extends Omit<PageOptions, 'theme' | 'text' | 'liveInvoiceId'> {
  /** Above the card. */
  readonly banner?: Child
  /** The public id of the invoice, whose beginning is its number. */
  readonly invoiceId?: string
}

/** A page for a buyer: the shop, a card, and whom to ask. */
export function buyerPage(view: BuyerView, { banner, invoiceId, body, ...page }: BuyerPage): Html {
  const { text, shop, embedding, isTest } = view
  // Around a frame the background is the shop's, so that no text stands upon it.
  const below = foot(view, invoiceId)
  const card = html`<div class="card checkout">${shopHeader(shop, !embedding)}${body}${embedding && below}</div>`
  return plainPage({
    ...page,
    text,
    embedding,
    accent: shop.accent,
    ...(shop.name !== null && { site: shop.name }),
    banner: html`${isTest && html`<p class="test-bar">${text.say('test_bar')}</p>`}${banner}`,
    body: html`${card}${!embedding && below}`,
  })
}

function foot({ text, shop, inLanguage }: BuyerView, invoiceId: string | undefined): Html {
  const number = invoiceId?.slice(0, 8)
  return html`<footer class="checkout-foot">
    ${number !== undefined && html`<span>${text.say('invoice_number', { number: html`<span class="code">${number}</span>` })} ${copyIn(text, number, 'copy_number')}</span>`}
    ${supportLink(shop, text)}
    ${inLanguage && languages(text, inLanguage)}
    <span class="made-with">${text.say('made_with')}</span>
  </footer>`
}

function languages(text: Text, inLanguage: (locale: PageLocale) => string): Html {
  const links = PAGE_LOCALES.map(
    locale =>
      html`<li><a href="${inLanguage(locale)}" lang="${locale}" hreflang="${locale}"${locale === text.locale && html` aria-current="true"`}>${LANGUAGE_NAMES[locale]}</a></li>`,
  )
  return html`<details class="languages"><summary><span class="unseen">${text.say('language')}: </span>${LANGUAGE_NAMES[text.locale]}</summary><ul>${links}</ul></details>`
}
