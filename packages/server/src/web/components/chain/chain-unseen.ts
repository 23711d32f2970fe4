import { type Html, html } from '../../html.ts'
import { plain } from '../../text/dashboard.ts'
import type { Text } from '../../text/text.ts'
import { livePart } from '../live.ts'

/** Shown to a merchant while no process reads the chain. */
export const CHAIN_UNSEEN = plain('chain_unseen_merchant')

/** The banner of pages for buyers, which comes and goes in the open page. Empty while the chain is seen. */
export function chainUnseenBanner(isChainSeen: boolean, text: Text): Html {
  const content = html`${!isChainSeen && html`<p class="card attention">${text.say('chain_unseen')}</p>`}`
  return html`<div class="narrow live-banner" role="status">${livePart('chain', content)}</div>`
}
