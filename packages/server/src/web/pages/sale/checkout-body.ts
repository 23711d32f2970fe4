import type { CheckoutState } from '../../../domain/sale/checkout.ts'
import { confirmationSecs, waitingTime } from '../../../domain/sale/confirmation-time.ts'
import { type Invoice, remainingRequest } from '../../../domain/sale/invoice.ts'
import { storedReason } from '../../../domain/sale/invoice-state.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import type { BuyerView } from '../../components/buyer/buyer-page.ts'
import { paymentRequestParts } from '../../components/buyer/request.ts'
import type { CheckoutLinks } from '../../components/sale/checkout-links.ts'
import { timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'

/** The data of a checkout page. */
export interface CheckoutView extends BuyerView {
  readonly invoice: Invoice
  readonly links: CheckoutLinks
  /** The last swap, if there is one. */
  readonly swap?: Swap | undefined
  /** Content above everything else: the outcome of a swap. */
  readonly notice?: Child
  /** Above the payment request: the other ways to pay. */
  readonly ways?: Child
  /** Confirmations so far, while the payment is confirmed. */
  readonly confirmed?: number
  /** Current block spacing in seconds. */
  readonly spacingSecs: number
  /** Whether a payment made now is seen. */
  readonly isChainSeen: boolean
  /** Unix seconds. */
  readonly now: number
}

/** The content below the title in a state. @param isRestAwaited a deposit may still pay what is left */
export function checkoutBody(view: CheckoutView, state: CheckoutState, isRestAwaited: boolean): Html {
  const { text, invoice } = view
  switch (state) {
    case 'payable':
      return payable(view)
    case 'confirming':
      return html`${confirming(view)}${overpaidNote(text, invoice)}`
    case 'paid':
      return html`${paid(text, invoice)}${overpaidNote(text, invoice)}`
    case 'short':
      return isRestAwaited ? restAwaited(text, invoice) : short(text, invoice)
    case 'late':
      return html`<p class="center">${text.say('late', { time: timeElement(invoice.watchUntil) })}</p><p class="center">${text.say('late_unpaid')}</p>`
    case 'settled':
      return html`<p class="center">${text.say('settled')}</p>`
    case 'canceled':
      return canceled(view)
    case 'over':
      return html`<p class="center">${over(text, invoice)}</p>`
  }
}

function payable({ text, invoice, ways }: CheckoutView): Html {
  const { receivedZat, openAmount } = invoice
  const about = html`${ways}${receivedZat > 0n && receivedNote(text, invoice)}${openAmount && openNote(text, invoice)}`
  const request = openAmount ? openRequest(text, invoice) : exactRequest(text, invoice)
  return html`<div class="pay" data-while-open>${parts(about, request, text.say('page_updates'))}</div>
    <p class="center card attention" data-when-over hidden>${text.say(receivedZat === 0n ? 'time_up_now' : 'time_up_part')}</p>`
}

function parts(about: Child, request: Html, updates: Child): Html {
  return html`<div class="pay-about">${about}</div>
      ${request}
      <p class="hint pay-updates">${updates}</p>`
}

/** For what is left to pay. */
function exactRequest(text: Text, invoice: Invoice): Html {
  const { address, dueZat } = invoice
  return paymentRequestParts(text, { uri: remainingRequest(invoice), address, amountZat: dueZat })
}

/** An open amount is entered in the wallet. */
function openRequest(text: Text, invoice: Invoice): Html {
  return paymentRequestParts(text, { uri: remainingRequest(invoice), address: invoice.address, amountZat: null })
}

function receivedNote(text: Text, { receivedZat, dueZat, openAmount }: Invoice): Html {
  const values = { received: text.zec(receivedZat), rest: text.zec(dueZat) }
  return html`<p class="card attention">${text.say(openAmount ? 'received_at_least' : 'received_rest', values)}</p>`
}

function openNote(text: Text, { receivedZat, amountZat }: Invoice): Html | false {
  if (receivedZat > 0n) return false
  return html`<p class="center">${amountZat > 1n ? text.say('choose_at_least', { amount: text.zec(amountZat) }) : text.say('choose_amount')}</p>`
}

function confirming({ text, invoice, links, spacingSecs, confirmed = 0 }: CheckoutView): Html {
  const { confirmations, canceledAt } = invoice
  // All have been counted while a further payment is still confirmed.
  const missing = confirmations === 0 ? 0 : Math.max(1, confirmations - confirmed)
  const wait = waitingTime(confirmationSecs(missing, spacingSecs))
  const isLate = storedReason(invoice, null) === 'late_unconfirmed'
  const what = isLate ? (canceledAt === null ? 'seen_late' : 'seen_after_cancel') : 'seen'
  return html`<p class="center">${text.say(what)}</p>
    <p class="center">${wait === null ? text.say('confirms_at_once') : text.say('confirms_in', { time: text.duration(wait.count, wait.unit) })}${!links.embedding && html` ${text.say('may_close')}`}</p>`
}

function paid(text: Text, { needsAttention, lateAt }: Invoice): Html {
  if (needsAttention) return html`<p class="card attention">${text.say('reorged')}</p>`
  return html`<p class="center">${text.say(lateAt === null ? 'paid' : 'paid_late')}</p>`
}

/** A buyer's wallet may pay twice, and the shop does not know whom to ask. */
function overpaidNote(text: Text, { overpaidZat }: Invoice): Html | false {
  if (overpaidZat === 0n) return false
  return html`<p class="card attention" id="overpaid">${text.say('overpaid', { amount: text.zec(overpaidZat) })} ${text.say('overpaid_ask')}</p>`
}

function restAwaited(text: Text, { amountZat, receivedZat }: Invoice): Html {
  const values = { received: text.zec(receivedZat), whole: text.zec(amountZat) }
  return html`<p class="card attention">${text.say('rest_awaited', values)}</p>`
}

function short(text: Text, invoice: Invoice): Html {
  const { amountZat, receivedZat, watchUntil, openAmount } = invoice
  const values = { received: text.zec(receivedZat), whole: text.zec(amountZat), time: timeElement(watchUntil) }
  const about = html`<p class="card attention">${text.say(openAmount ? 'rest_counts_open' : 'rest_counts', values)}</p>`
  const updates = html`${text.say('page_updates')} ${text.say('rest_unwanted')}`
  return html`<div class="pay">${parts(about, exactRequest(text, invoice), updates)}</div>`
}

function canceled({ text, invoice: { receivedZat, watchUntil }, now }: CheckoutView): Html {
  if (receivedZat > 0n)
    return html`<p class="center">${text.say('canceled_part', { received: text.zec(receivedZat) })}</p>`
  return html`<p class="center">${text.say('canceled')}</p>
    ${now <= watchUntil && html`<p class="center">${text.say('canceled_paid', { time: timeElement(watchUntil) })}</p>`}`
}

function over(text: Text, { receivedZat }: Invoice): Html {
  return receivedZat === 0n ? text.say('over') : text.say('over_part', { received: text.zec(receivedZat) })
}
