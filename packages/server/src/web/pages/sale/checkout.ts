import { type CheckoutState, checkoutState, depositMayPay, needsRecheck } from '../../../domain/sale/checkout.ts'
import { confirmationSecs, formatWaitingTime } from '../../../domain/sale/confirmation-time.ts'
import { type Invoice, isFinal, isWithinTolerance, paymentRequest } from '../../../domain/sale/invoice.ts'
import { storedReason } from '../../../domain/sale/invoice-state.ts'
import { paymentUri } from '../../../domain/sale/payment-uri.ts'
import type { Swap } from '../../../ports/repository/sale/swap.ts'
import { chainUnseenBanner } from '../../components/chain/chain-unseen.ts'
import { livePart, statusAttributes } from '../../components/live.ts'
import { checkoutFrame } from '../../components/sale/checkout-frame.ts'
import type { CheckoutLinks } from '../../components/sale/checkout-links.ts'
import { formatPrice } from '../../components/sale/fiat.ts'
import { orderLine } from '../../components/sale/order.ts'
import { manualPayment, walletLink } from '../../components/sale/payment-request.ts'
import { totalOf } from '../../components/sale/total.ts'
import { redirectNote, redirectOf, redirectsWithoutScript, wayBack } from '../../components/sale/way-back.ts'
import { bigAmount, countdown, formatZat, formatZecAmount, timeElement } from '../../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../../html.ts'

interface CheckoutView {
  readonly invoice: Invoice
  readonly links: CheckoutLinks
  /** The last swap, if there is one. */
  readonly swap?: Swap | undefined
  /** Content above everything else: the outcome of a swap. */
  readonly notice?: Child
  /** Content below the payment request: paying with other assets. */
  readonly extra: Child
  /** Confirmations so far, while the payment is confirmed. */
  readonly confirmed?: number
  /** Current block spacing in seconds. */
  readonly spacingSecs: number
  /** Whether a payment made now is seen. */
  readonly isChainSeen: boolean
  /** Unix seconds. */
  readonly now: number
}

/** The page where a buyer pays an invoice in ZEC and sees its status. */
export function checkoutPage(view: CheckoutView): Html {
  const { invoice, links, swap, now } = view
  const state = checkoutState(invoice, now)
  const title = state === 'short' && awaitsDeposit(view) ? 'Waiting for the rest' : titleOf(invoice, state)
  const rechecks = needsRecheck(invoice, now)
  const redirectsTo = redirectOf(invoice, links)
  const content = html`
      ${view.notice}
      ${mark(state)}
      ${orderLine(invoice)}
      <h1 data-announce${booleanAttribute('data-recheck', rechecks)}${statusAttributes(invoice, swap)}>${title}</h1>
      ${body(view, state)}
      ${wayBack(invoice, links, state)}`
  const isLive = !isFinal(invoice.status)
  return checkoutFrame(links, {
    title,
    ...(isLive && { liveInvoiceId: invoice.publicId }),
    rechecks,
    ...(redirectsTo && { script: 'redirect.js' }),
    redirectsTo: redirectsWithoutScript(invoice, now) ? redirectsTo : null,
    banner: chainUnseenBanner(view.isChainSeen || !(isLive || rechecks)),
    body: html`<div class="card narrow checkout">${livePart('live', content)}${redirectsTo && redirectNote(redirectsTo, invoice, now)}</div>`,
  })
}

function titleOf({ status, receivedZat, openAmount }: Invoice, state: CheckoutState): string {
  switch (state) {
    case 'payable':
      return openAmount ? 'Choose the amount' : 'Pay with Zcash'
    case 'confirming':
      return 'Payment detected'
    case 'paid':
      return 'Paid'
    case 'short':
      return 'Pay the rest'
    case 'late':
      return status === 'pending' ? 'The time is up' : 'Expired'
    case 'canceled':
      return 'Canceled'
    case 'over':
      return receivedZat > 0n ? 'Underpaid' : 'Expired'
  }
}

const MARKS: Readonly<Partial<Record<CheckoutState, readonly [kind: string, path: string]>>> = {
  confirming: ['wait', 'M24 15v9l6 4'],
  paid: ['good', 'M15 25l6 6 12-13'],
  late: ['bad', 'M17 17l14 14M31 17L17 31'],
  canceled: ['bad', 'M17 17l14 14M31 17L17 31'],
  over: ['bad', 'M17 17l14 14M31 17L17 31'],
}

function mark(state: CheckoutState): Html | false {
  const found = MARKS[state]
  if (!found) return false
  const [kind, path] = found
  return html`<svg class="mark mark-${kind}" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="${path}"/></svg>`
}

function body(view: CheckoutView, state: CheckoutState): Html {
  const { invoice } = view
  const total = totalOf(invoice)
  switch (state) {
    case 'payable':
      return payable(view)
    case 'confirming':
      return html`${total}<p class="center">${confirming(view)}</p>${progress(view)}${overpaidNote(invoice)}`
    case 'paid':
      return html`${total}<p class="center">Thank you. ${invoice.openAmount ? 'Your' : 'The'} payment is confirmed.</p>${overpaidNote(invoice)}`
    case 'short':
      return short(view)
    case 'late':
      return html`${total}${late(invoice)}`
    case 'canceled':
      return html`${total}${canceled(view)}`
    case 'over':
      return html`${total}<p class="center">${over(invoice)}</p>`
  }
}

function payable(view: CheckoutView): Html {
  const { invoice, now, extra } = view
  const { receivedZat, expiresAt, openAmount } = invoice
  return html`<div data-while-open>${receivedZat > 0n && receivedNote(invoice)}
    ${openAmount ? openRequest(invoice) : exactRequest(invoice)}
    <p class="hint">Valid until ${timeElement(expiresAt)}${countdown(expiresAt, now)}. This page updates when the payment arrives.</p>
    ${extra}</div>
    <p class="center" data-when-over hidden>The time is up. ${receivedZat === 0n && 'Do not pay now. '}If you have paid already, do not pay again: this page shows your payment as soon as it is seen.</p>`
}

function receivedNote({ receivedZat, dueZat, openAmount }: Invoice): Html {
  const rest = formatZecAmount(dueZat)
  return html`<p class="below center">${formatZecAmount(receivedZat)} received. ${openAmount ? `At least ${rest} more is needed.` : `${rest} left to pay.`}</p>`
}

/** The payment request for the amount, or for the rest of it. */
function exactRequest(invoice: Invoice): Html {
  const { address, publicId, dueZat, receivedZat } = invoice
  const price = formatPrice(invoice)
  const rest = html`${bigAmount(formatZecAmount(dueZat))}
    <p class="below center">${formatZat(dueZat)}${price !== null && `, the rest of ${price}`}</p>`
  return html`
    ${receivedZat > 0n ? rest : totalOf(invoice)}
    ${walletLink(paymentUri(address, dueZat, publicId))}
    <h2>Or pay manually</h2>
    ${manualPayment(dueZat, address)}`
}

/** The payment request without an amount, which the buyer enters in the wallet. */
function openRequest(invoice: Invoice): Html {
  const { address, amountZat, receivedZat } = invoice
  const asksForMinimum = receivedZat === 0n && amountZat > 1n
  return html`${receivedZat === 0n && html`<p class="center">Enter any amount in your wallet${asksForMinimum && html`, at least <b>${formatZecAmount(amountZat)}</b>`}.</p>`}
    ${walletLink(paymentRequest(invoice))}
    <h2>Or pay manually</h2>
    ${manualPayment(null, address)}`
}

function confirming({ invoice, links, spacingSecs, confirmed = 0 }: CheckoutView): Html {
  const { confirmations, canceledAt, openAmount, receivedZat } = invoice
  // All have been counted while a further payment is still confirmed.
  const missing = confirmations === 0 ? 0 : Math.max(1, confirmations - confirmed)
  const waitText = formatWaitingTime(confirmationSecs(missing, spacingSecs))
  const wait = html`${confirmations > 0 && 'in '}${waitText}.${!links.embedding && ' You can close this page.'}`
  const what = openAmount || isWithinTolerance(invoice, receivedZat) ? 'Your payment' : 'The full amount'
  const late = canceledAt === null ? 'after the time was up' : 'after the shop had canceled the invoice'
  return storedReason(invoice, null) === 'late_unconfirmed'
    ? html`${what} has arrived ${late}. It counts. Do not pay again. The invoice is paid once the network confirms it, usually ${wait}`
    : html`${what} has been detected. The invoice is paid once the network confirms it, usually ${wait}`
}

function progress({ invoice: { confirmations }, confirmed = 0 }: CheckoutView): Html | false {
  return confirmations > 0 && html`<p class="hint center">${confirmed} of ${confirmations} confirmations</p>`
}

/** A buyer's wallet may pay twice, and the shop does not know whom to ask. */
function overpaidNote({ overpaidZat }: Invoice): Html | false {
  if (overpaidZat === 0n) return false
  return html`<p class="card attention" id="overpaid">You have paid ${formatZecAmount(overpaidZat)} too much. The shop sees it, and owes it to you: ask it to send it back.</p>`
}

/** Whether the notice on top is about a deposit that may still pay what is left. */
function awaitsDeposit({ swap, notice }: CheckoutView): boolean {
  return Boolean(notice) && swap !== undefined && depositMayPay(swap.status)
}

function short(view: CheckoutView): Html {
  const { invoice } = view
  const { amountZat, receivedZat, watchUntil, openAmount } = invoice
  const whole = `${openAmount ? 'at least ' : ''}${formatZecAmount(amountZat)}`
  if (awaitsDeposit(view))
    return html`<p class="card attention">${formatZecAmount(receivedZat)} of ${whole} has arrived, and the deposit above may still pay the rest. Do not pay again now. This page updates when it arrives.</p>`
  return html`<p class="card attention">${formatZecAmount(receivedZat)} of ${whole} has arrived. The time is up, but the rest still counts until ${timeElement(watchUntil)}. ${!openAmount && 'Do not pay the whole amount again.'}</p>
    ${exactRequest(invoice)}
    <p class="hint">This page updates when the payment arrives. If you no longer want to pay, ask the shop to send back what has arrived.</p>`
}

function late({ watchUntil }: Invoice): Html {
  return html`<p class="center"><b>If you have paid already, do not pay again.</b> This page shows your payment as soon as it is seen. It counts until ${timeElement(watchUntil)}.</p>
    <p class="center">If you have not paid, do not pay this invoice. Please ask the shop for a new one.</p>`
}

function canceled({ invoice: { receivedZat, watchUntil }, now }: CheckoutView): Html {
  if (receivedZat > 0n)
    return html`<p class="center">The shop has canceled this invoice. ${formatZecAmount(receivedZat)} has arrived. <b>Do not pay the rest.</b> Ask the shop to send back what has arrived.</p>`
  return html`<p class="center"><b>Do not pay.</b> The shop has canceled this invoice.</p>
    ${now <= watchUntil && html`<p class="center">If you have paid already, do not pay again. This page shows your payment as soon as it is seen. It still counts until ${timeElement(watchUntil)}.</p>`}`
}

function over({ receivedZat }: Invoice): Html {
  if (receivedZat === 0n) return html`This invoice has expired. Do not pay it. Please ask the shop for a new one.`
  return html`Only ${formatZecAmount(receivedZat)} arrived. Payments to this invoice no longer count, so do not pay the rest. Ask the shop to send back what arrived.`
}
