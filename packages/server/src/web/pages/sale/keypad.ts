import type { CheckoutState } from '../../../domain/sale/checkout.ts'
import { type Invoice, isFinal, paymentRequest } from '../../../domain/sale/invoice.ts'
import type { LinkClosure, PaymentLink } from '../../../domain/sale/payment-link.ts'
import { DECIMAL_PATTERN } from '../../amount.ts'
import { type BuyerView, buyerPage } from '../../components/buyer/buyer-page.ts'
import { sumOf } from '../../components/buyer/sum.ts'
import { chainUnseenBanner } from '../../components/chain/chain-unseen.ts'
import { field } from '../../components/form.ts'
import { livePart, statusAttributes } from '../../components/live.ts'
import { qrCode } from '../../components/sale/qr-code.ts'
import { type Html, html } from '../../html.ts'

interface KeypadView extends BuyerView {
  /** The address of the keypad. */
  readonly path: string
}

const CLOSED: Readonly<Record<LinkClosure, string>> = {
  paused: 'This keypad is paused. Resume its link in the dashboard.',
  ended: 'This keypad has ended with its link.',
  sold_out: 'Everything is sold, or held by buyers who are paying now.',
}

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '0'] as const

interface EntryView extends KeypadView {
  readonly link: PaymentLink
  readonly closed: LinkClosure | null
  /** UUID, so that a form sent twice makes one invoice. */
  readonly formId: string
  /** As it was sent. */
  readonly amount?: string
  readonly error?: string
}

/** Where the amount is entered. Without a script the field takes it from the keyboard. */
export function keypadPage(view: EntryView): Html {
  const { link, closed, formId, amount = '', error, path } = view
  const keys = KEYS.map(key => html`<button type="button" data-key="${key}">${key}</button>`)
  const form = html`<form method="post" action="${path}">
      <input type="hidden" name="form" value="${formId}">
      ${field({ name: 'amount', label: `Amount in ${link.currency}`, value: amount, maxlength: 14, autofocus: true, attributes: html` class="keyed" inputmode="decimal" autocomplete="off" pattern="${DECIMAL_PATTERN}"` })}
      <div class="keys" data-keys hidden>${keys}<button type="button" data-key="back" aria-label="Delete the last digit">⌫</button></div>
      <button class="primary full">Charge</button>
    </form>`
  return buyerPage(view, {
    title: link.title,
    script: 'keypad.js',
    manifest: `${path}/manifest.webmanifest`,
    body: html`<div class="keypad"><h1 class="center"><bdi>${link.title}</bdi></h1>
      ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
      ${closed === null ? form : html`<p class="link-closed">${CLOSED[closed]}</p>`}</div>`,
  })
}

interface SaleView extends KeypadView {
  readonly invoice: Invoice
  readonly state: CheckoutState
  /** Unix seconds. */
  readonly now: number
  /** Whether a payment made now is seen. */
  readonly isChainSeen: boolean
}

/** A sale at the counter: the code to scan, and in large what has arrived. */
export function keypadSalePage(view: SaleView): Html {
  const { invoice, path, text, isChainSeen, state } = view
  const isLive = !isFinal(invoice.status)
  const content = html`<div class="keypad">${sumOf(text, invoice)}${result(view)}
      <p><a class="button full${state !== 'payable' && ' primary'}" href="${path}">${state === 'payable' ? 'Cancel' : 'Next'}</a></p></div>`
  return buyerPage(view, {
    title: TITLES[state],
    script: 'keypad.js',
    manifest: `${path}/manifest.webmanifest`,
    ...(isLive && { followedInvoiceId: invoice.publicId }),
    banner: chainUnseenBanner(isChainSeen || !isLive, text),
    invoiceId: invoice.publicId,
    body: livePart('live', content),
  })
}

const TITLES: Readonly<Record<CheckoutState, string>> = {
  payable: 'Scan to pay',
  confirming: 'Payment seen',
  paid: 'Paid',
  short: 'Not paid in full',
  late: 'The time is up',
  canceled: 'Canceled',
  over: 'Expired',
}

function result(view: SaleView): Html {
  const { state, invoice, text } = view
  const title = html`<h1 data-announce${statusAttributes(invoice, undefined)}>${TITLES[state]}</h1>`
  switch (state) {
    case 'payable':
      return html`${title}${qrCode(paymentRequest(invoice), 'Payment request as a QR code')}${arrived(view)}`
    case 'confirming':
      return html`<div class="sale-result seen" data-sound="seen"><span class="sign" aria-hidden="true">…</span>${title}<p>The network is confirming it. It is paid when this turns green.</p></div>`
    case 'paid':
      return html`<div class="sale-result paid" data-sound="paid"><span class="sign" aria-hidden="true">✓</span>${title}<p>${text.zec(invoice.receivedZat)} received.</p></div>`
    case 'short':
      return html`<div class="sale-result">${title}${arrived(view)}</div>`
    default:
      return html`<div class="sale-result">${title}<p>If the buyer has paid, the payment still counts when it arrives. Otherwise charge again.</p></div>`
  }
}

function arrived({ invoice, text }: SaleView): Html | false {
  const { receivedZat, dueZat } = invoice
  return receivedZat > 0n && html`<p>${text.zec(receivedZat)} has arrived. ${text.zec(dueZat)} is left to pay.</p>`
}

/** Shown by the service worker while the phone has no connection. */
export function offlinePage(view: BuyerView): Html {
  return buyerPage(view, {
    title: 'No connection',
    body: html`<h1>No connection</h1><p class="center">You can’t take payments right now.</p><p class="center">Check the connection of this phone, then try again.</p><p><a class="button primary full" href="">Try again</a></p>`,
  })
}
