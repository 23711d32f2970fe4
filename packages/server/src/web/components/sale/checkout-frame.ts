import { type Child, type Html, html } from '../../html.ts'
import { plainPage } from '../layout.ts'
import type { CheckoutLinks } from './checkout-links.ts'

interface CheckoutPage {
  readonly title: string
  readonly body: Child
  readonly banner?: Child
  readonly liveInvoiceId?: string
  readonly rechecks?: boolean
  readonly script?: 'redirect.js'
  readonly redirectsTo?: URL | null
}

/** A page of the checkout, on its own or in a frame of the shop. A test says so. */
export function checkoutFrame({ embedding, isTest }: CheckoutLinks, { banner, ...page }: CheckoutPage): Html {
  const mark = isTest && html`<p class="narrow test-mark"><span class="tag">TEST</span> Do not pay with real money.</p>`
  return plainPage({ ...page, embedding, banner: html`${mark}${banner}` })
}
