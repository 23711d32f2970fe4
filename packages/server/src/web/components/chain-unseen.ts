import { type Html, html } from '../html.ts'

/** Shown while no process reads the chain. */
export const CHAIN_UNSEEN =
  'The Zcash network cannot be seen at the moment. Payments are still counted, and will show when it is back.'

/** The banner of pages for buyers. */
export function chainUnseenBanner(isChainSeen: boolean): Html | false {
  return !isChainSeen && html`<p class="card narrow attention" role="status">${CHAIN_UNSEEN}</p>`
}
