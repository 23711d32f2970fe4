import { type CheckoutState, checkoutState, depositMayPay, needsRecheck } from '../../../domain/sale/checkout.ts'
import { type Invoice, isFinal } from '../../../domain/sale/invoice.ts'
import { hasReceipt } from '../../../domain/sale/receipt.ts'
import { buyerPage } from '../../components/buyer/buyer-page.ts'
import { mark } from '../../components/buyer/mark.ts'
import { steps } from '../../components/buyer/steps.ts'
import { orderOf, priceIn, restOf, sumOf } from '../../components/buyer/sum.ts'
import { timeBar } from '../../components/buyer/time-bar.ts'
import { chainUnseenBanner } from '../../components/chain/chain-unseen.ts'
import { livePart, statusAttributes } from '../../components/live.ts'
import type { CheckoutLinks } from '../../components/sale/checkout-links.ts'
import { hasEndedUnpaid } from '../../components/sale/swap-notice.ts'
import { redirectNote, redirectOf, redirectsWithoutScript, wayBack } from '../../components/sale/way-back.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'
import { type CheckoutView, checkoutBody } from './checkout-body.ts'

/** The page where a buyer pays an invoice in ZEC and sees its status. */
export function checkoutPage(view: CheckoutView): Html {
  const { invoice, links, swap, text, now } = view
  const state = checkoutState(invoice, now)
  const isRestAwaited = state === 'short' && awaitsDeposit(view)
  const isAgain = state === 'payable' && Boolean(view.notice) && swap !== undefined && hasEndedUnpaid(swap)
  const title = isRestAwaited
    ? text.plain('title_rest_awaited')
    : isAgain && invoice.receivedZat === 0n
      ? text.plain('swap_again')
      : titleOf(text, invoice, state)
  const rechecks = needsRecheck(invoice, now)
  const redirectsTo = redirectOf(invoice, links)
  const content = html`
      ${view.notice}
      ${mark(state === 'paid' && invoice.needsAttention ? 'confirming' : state)}
      ${orderOf(text, invoice)}
      ${isPartPaid(state, invoice) ? !invoice.openAmount && restOf(text, invoice) : sumOf(text, invoice)}
      ${state === 'payable' && html`<div data-while-open>${timeBar(text, invoice.createdAt, invoice.expiresAt, now)}</div>`}
      ${stepsOf(view, state)}
      <h1 data-announce${booleanAttribute('data-recheck', rechecks)}${statusAttributes(invoice, swap)}>${title}</h1>
      ${checkoutBody(view, state, isRestAwaited)}
      ${wayBack(view, invoice, links, state)}
      ${hasReceipt(invoice) && receiptLink(text, links)}`
  const isLive = !isFinal(invoice.status)
  return buyerPage(view, {
    title: tabTitle(text, invoice, title),
    ...((isLive || rechecks) && { followedInvoiceId: invoice.publicId }),
    rechecks,
    ...(redirectsTo && { script: 'redirect.js' }),
    redirectsTo: redirectsWithoutScript(invoice, now) ? redirectsTo : null,
    banner: chainUnseenBanner(view.isChainSeen || !(isLive || rechecks), text),
    invoiceId: invoice.publicId,
    body: html`${livePart('live', content)}${redirectsTo && redirectNote(text, redirectsTo, invoice, now)}`,
  })
}

/** It leaves a frame as it is. */
function receiptLink(text: Text, { receipt, embedding }: CheckoutLinks): Html {
  return html`<p><a class="button full" href="${receipt}"${embedding && html` target="_blank" rel="noopener"`}>${text.say('receipt')}</a></p>`
}

/** Whether the rest is what the page is about. */
function isPartPaid(state: CheckoutState, { receivedZat }: Invoice): boolean {
  return state === 'short' || (state === 'payable' && receivedZat > 0n)
}

/** The title of the tab follows the state: `Pay with Zcash: 25.00 EUR`. */
function tabTitle(text: Text, invoice: Invoice, title: string): string {
  const amount = priceIn(text, invoice) ?? (invoice.openAmount ? null : text.zec(invoice.amountZat))
  return amount === null ? title : `${title}: ${amount}`
}

function titleOf(text: Text, invoice: Invoice, state: CheckoutState): string {
  const { status, receivedZat, openAmount, needsAttention } = invoice
  switch (state) {
    case 'payable':
      if (receivedZat > 0n) return text.plain('title_rest')
      return text.plain(openAmount ? 'title_choose' : 'title_pay')
    case 'confirming':
      return text.plain('title_seen')
    case 'paid':
      return text.plain(needsAttention ? 'reorged_title' : 'title_paid')
    case 'short':
      return text.plain('title_rest')
    case 'late':
      return text.plain(status === 'pending' ? 'title_time_up' : 'title_expired')
    case 'settled':
      return text.plain('title_settled')
    case 'canceled':
      return text.plain('title_canceled')
    case 'over':
      return text.plain(receivedZat > 0n ? 'title_underpaid' : 'title_expired')
  }
}

/** None where nothing goes on. */
function stepsOf({ text, invoice, confirmed = 0 }: CheckoutView, state: CheckoutState): Html | false {
  const needed = invoice.confirmations
  switch (state) {
    case 'payable':
    case 'short':
      return steps(text, { reached: 0, confirmed, needed })
    case 'confirming':
      return steps(text, { reached: 1, confirmed, needed })
    case 'paid':
      return steps(text, { reached: invoice.needsAttention ? 1 : 2, confirmed, needed })
    default:
      return false
  }
}

/** Whether the notice on top is about a deposit that may still pay what is left. */
function awaitsDeposit({ swap, notice }: CheckoutView): boolean {
  return Boolean(notice) && swap !== undefined && depositMayPay(swap.status)
}
