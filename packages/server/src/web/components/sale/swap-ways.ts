import type { Invoice } from '../../../domain/sale/invoice.ts'
import { hasDeposit } from '../../../domain/sale/swap.ts'
import { chainName } from '../../../domain/sale/swap-asset.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'
import type { CheckoutLinks } from './checkout-links.ts'
import { hasEndedUnpaid } from './swap-notice.ts'
import { amountIn } from './swap-state.ts'

/**
 * The ways to pay, above the payment request in ZEC, and a swap that was started elsewhere. A swap that has ended can be
 * followed by another one.
 */
export function otherAssets(
  text: Text,
  view: {
    readonly invoice: Invoice
    readonly swap: Swap | undefined
    readonly links: CheckoutLinks
    readonly foreign: Swap | null
  },
): Child {
  const { invoice, swap, links, foreign } = view
  if (swap && hasEndedUnpaid(swap)) return waysToPay(text, links, 'zec')
  // A swap is for the whole amount, so it is not offered after a part payment in ZEC. One with a deposit is not replaced.
  const offersSwap = invoice.receivedZat === 0n && !(foreign && hasDeposit(foreign.status))
  return html`${offersSwap && waysToPay(text, links, 'zec')}${foreign && startedElsewhere(text, foreign, links)}`
}

/** Tabs: Zcash, or another asset. */
export function waysToPay(text: Text, links: CheckoutLinks, shown: 'zec' | 'other'): Html {
  const tab = (way: typeof shown, href: string, label: Html) =>
    html`<a href="${href}"${way === shown && html` aria-current="page"`}>${label}</a>`
  return html`<nav class="ways" aria-label="${text.plain('ways_to_pay')}">${tab('zec', links.checkoutInZec, text.say('with_zcash'))}${tab('other', links.swap, text.say('with_other'))}</nav>`
}

/** Asks before a swap is shown that this page has not started: its refunds may go to another person. */
export function startedElsewhere(text: Text, swap: Swap, links: CheckoutLinks): Html {
  const values = { amount: amountIn(text, swap, swap.amountIn), chain: chainName(swap.blockchain) }
  return html`<div class="card attention" role="status" id="started-elsewhere">
    <p>${text.say('swap_elsewhere', values)}</p>
    <p><code dir="ltr">${swap.refundTo}</code></p>
    <p><a href="${links.ofSwap(swap.publicId)}">${text.say('swap_show')}</a></p>
  </div>`
}
