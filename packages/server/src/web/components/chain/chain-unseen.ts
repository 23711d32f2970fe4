import { type Html, html } from '../../html.ts'
import { livePart } from '../live.ts'

/** Shown to a merchant while no process reads the chain. */
export const CHAIN_UNSEEN =
  'We can’t see the Zcash network right now. Payments still count, and will appear once we can.'

/** The banner of pages for buyers, which comes and goes in the open page. Empty while the chain is seen. */
export function chainUnseenBanner(isChainSeen: boolean): Html {
  const content = html`${!isChainSeen && html`<p class="card attention">We can’t see the Zcash network right now. Your payment is safe and will appear once we can.</p>`}`
  return html`<div class="narrow live-banner" role="status">${livePart('chain', content)}</div>`
}
