import { depositMayPay } from '../../../domain/sale/checkout.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { hasDeposit } from '../../../domain/sale/swap.ts'
import { chainName } from '../../../domain/sale/swap-asset.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import { type BuyerView, buyerPage } from '../../components/buyer/buyer-page.ts'
import { orderOf, sum } from '../../components/buyer/sum.ts'
import { timeBar } from '../../components/buyer/time-bar.ts'
import { chainUnseenBanner } from '../../components/chain/chain-unseen.ts'
import { livePart, statusAttributes } from '../../components/live.ts'
import type { CheckoutLinks } from '../../components/sale/checkout-links.ts'
import { depositFacts, depositRequest } from '../../components/sale/swap-deposit.ts'
import { amountIn, costOf, SWAP_STATES, swapSteps } from '../../components/sale/swap-state.ts'
import { startedElsewhere } from '../../components/sale/swap-ways.ts'
import { wayBack } from '../../components/sale/way-back.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'

/**
 * Whether the checkout page can show the swap: it has a deposit, or it waits for one before its deadline. For an
 * invoice that the shop has marked by hand no deposit is asked, but one that may still pay it is shown.
 */
export function isShown(invoice: Invoice, swap: Swap, now: number): boolean {
  if (invoice.status !== 'pending') return false
  if (invoice.markedAs !== null) return depositMayPay(swap.status)
  return hasDeposit(swap.status) || (swap.status === 'PENDING_DEPOSIT' && now < swap.deadline)
}

interface SwapDepositView extends BuyerView {
  readonly invoice: Invoice
  readonly swap: Swap
  readonly links: CheckoutLinks
  /** Another swap, which was started elsewhere. The page shows it only after the buyer has confirmed it. */
  readonly foreign: Swap | null
  /** Whether the page shows where to deposit. */
  readonly showsDeposit: boolean
  /** Whether a payment made now is seen. */
  readonly isChainSeen: boolean
  /** Unix seconds. */
  readonly now: number
}

/** The checkout page of a swap: the deposit address, then the progress. */
export function swapDepositPage(view: SwapDepositView): Html {
  const { invoice, swap, links, foreign, showsDeposit, isChainSeen, now, text } = view
  const names = SWAP_STATES[swap.status]
  const isPending = swap.status === 'PENDING_DEPOSIT'
  const isOpen = isPending || swap.status === 'INCOMPLETE_DEPOSIT'
  const amount = amountIn(text, swap, swap.amountIn)
  const beside = text.say('swap_for', { chain: chainName(swap.blockchain), price: costOf(text, invoice) })
  const content = html`
      ${orderOf(text, invoice)}
      ${sum(amount, beside)}
      ${isOpen && showsDeposit && html`<div${booleanAttribute('data-while-open', isPending)}>${timeBar(text, swap.createdAt, swap.deadline, now)}</div>`}
      ${swapSteps(text, swap)}
      <h1 data-announce${statusAttributes(invoice, swap)}>${text.say(names.title)}</h1>
      ${isOpen && showsDeposit && depositRequest(text, swap)}
      ${isPending && html`<p class="center card attention" data-when-over hidden>${text.say('swap_over')}</p>`}
      ${isOpen && !showsDeposit && depositElsewhere(text, swap, links)}
      ${!isOpen && html`<p class="center">${text.say(names.text)}${!links.embedding && html` ${text.say('may_close')}`}</p>${showsDeposit && depositFacts(text, swap)}`}
      ${foreign && startedElsewhere(text, foreign, links)}
      ${isPending && html`<p class="center other-ways"><a href="${links.swap}">${text.say('swap_other')}</a> <a href="${links.checkoutInZec}">${text.say('swap_to_zcash')}</a></p>`}
      ${wayBack(view, invoice, links, 'payable')}`
  return buyerPage(view, {
    title: `${text.plain(names.title)}: ${amount}`,
    banner: chainUnseenBanner(isChainSeen, text),
    followedInvoiceId: invoice.publicId,
    invoiceId: invoice.publicId,
    body: livePart('live', content),
  })
}

/** In place of where to send the rest: the swap may be a stranger's. */
function depositElsewhere(text: Text, swap: Swap, links: CheckoutLinks): Html {
  return html`${startedElsewhere(text, swap, links)}
    <p class="center other-ways"><a href="${links.checkoutInZec}">${text.say('swap_to_zcash')}</a></p>`
}
