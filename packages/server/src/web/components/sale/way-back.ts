import { type CheckoutState, REDIRECT_SECS } from '../../../domain/sale/checkout.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { fillIn } from '../../../domain/sale/shop-url.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'
import type { BuyerView } from '../buyer/buyer-page.ts'
import { shopOrHost } from '../buyer/shop.ts'
import type { CheckoutLinks } from './checkout-links.ts'

type Ways = Pick<Invoice, 'publicId' | 'orderId' | 'successUrl' | 'cancelUrl'>

/**
 * The way back to the shop: the address that the invoice has for this state, otherwise `return_to`, otherwise the website of
 * the shop once nothing is left to do. Nothing in a frame. It names the host, since a link to the checkout can come from
 * anyone with the invoice id.
 * @param isQuiet something else leads on this page. Default: only while there is something to pay
 */
export function wayBack(
  { text, shop }: Pick<BuyerView, 'text' | 'shop'>,
  invoice: Ways,
  { embedding, returnTo }: CheckoutLinks,
  state: CheckoutState,
  isQuiet = false,
): Html | false {
  if (embedding) return false
  const own = ownWayBack(invoice, state)
  const isOpen = state === 'payable' || state === 'short'
  const url = own ?? returnTo ?? (isOpen || shop.website === null ? null : URL.parse(shop.website))
  if (!url) return false
  const isSecond = isQuiet || isOpen || (own !== null && state !== 'paid' && state !== 'settled')
  return html`<p><a class="${isSecond ? 'button full' : 'button primary full'}" href="${url.href}"${booleanAttribute('data-success', own !== null && state === 'paid')}>${text.say('back_to', { shop: shopOrHost(shop, url) })}</a></p>`
}

/** While a payment is confirmed, the invoice has none: the buyer neither gives up nor has paid. */
function ownWayBack(invoice: Ways, state: CheckoutState): URL | null {
  if (state === 'confirming') return null
  const given = state === 'paid' || state === 'settled' ? invoice.successUrl : invoice.cancelUrl
  return given === null ? null : URL.parse(fillIn(given, invoice))
}

/** The address that the checkout of an invoice opens by itself once it is paid. Null: none. */
export function redirectOf(
  invoice: Ways & Pick<Invoice, 'autoRedirect' | 'successUrl'>,
  { embedding }: CheckoutLinks,
): URL | null {
  return invoice.autoRedirect && !embedding ? ownWayBack(invoice, 'paid') : null
}

/** Where `assets/redirect.js` says that it leads back to the shop. On the page before that, so that it is announced. */
export function redirectNote(
  text: Text,
  url: URL,
  { status, paidAt }: Pick<Invoice, 'status' | 'paidAt'>,
  now: number,
): Html {
  const isRecent = status === 'paid' && isWithin(paidAt, REDIRECT_SECS.withScript, now)
  return html`<p class="center" role="status" data-redirect="${noteText(text, url)}"${booleanAttribute('data-recent', isRecent)}>${redirectsWithoutScript({ status, paidAt }, now) && html`<noscript>${noteText(text, url)}</noscript>`}</p>`
}

/** Whether a browser without scripts is led back to the shop by the page that is sent now. */
export function redirectsWithoutScript({ status, paidAt }: Pick<Invoice, 'status' | 'paidAt'>, now: number): boolean {
  return status === 'paid' && isWithin(paidAt, REDIRECT_SECS.withoutScript, now)
}

function isWithin(paidAt: number | null, secs: number, now: number): boolean {
  return paidAt !== null && now < paidAt + secs
}

function noteText(text: Text, { host }: URL): string {
  return text.plain('returning_to', { shop: host })
}
