import type { CheckoutState } from '../../../domain/sale/checkout.ts'
import { type Invoice, isFinal, remainingRequest } from '../../../domain/sale/invoice.ts'
import type { LinkClosure, PaymentLink } from '../../../domain/sale/payment-link.ts'
import { DECIMAL_PATTERN } from '../../amount.ts'
import { type BuyerView, buyerPage } from '../../components/buyer/buyer-page.ts'
import { sumOf } from '../../components/buyer/sum.ts'
import { chainUnseenBanner } from '../../components/chain/chain-unseen.ts'
import { field } from '../../components/form.ts'
import { livePart, statusAttributes } from '../../components/live.ts'
import { qrCode } from '../../components/sale/qr-code.ts'
import { type Html, html } from '../../html.ts'
import { type DashboardMessage, plain, say } from '../../text/dashboard.ts'

interface KeypadView extends BuyerView {
  /** The address of the keypad. */
  readonly path: string
}

const CLOSED = {
  paused: 'keypad_paused',
  ended: 'keypad_ended',
  sold_out: 'keypad_sold_out',
} as const satisfies Record<LinkClosure, DashboardMessage>

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
      ${field({ name: 'amount', label: say('keypad_amount', { currency: link.currency }), value: amount, maxlength: 14, autofocus: true, attributes: html` class="keyed" inputmode="decimal" autocomplete="off" pattern="${DECIMAL_PATTERN}"` })}
      <div class="keys" data-keys hidden>${keys}<button type="button" data-key="back" aria-label="${plain('keypad_delete')}">⌫</button></div>
      <button class="primary full">${say('keypad_charge')}</button>
    </form>`
  return buyerPage(view, {
    title: link.title,
    script: 'keypad.js',
    manifest: `${path}/manifest.webmanifest`,
    body: html`<div class="keypad"><h1 class="center"><bdi>${link.title}</bdi></h1>
      ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
      ${closed === null ? form : html`<p class="link-closed">${say(CLOSED[closed])}</p>`}</div>`,
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
      <p><a class="button full${state !== 'payable' && ' primary'}" href="${path}">${say(state === 'payable' ? 'keypad_cancel' : 'keypad_next')}</a></p></div>`
  return buyerPage(view, {
    title: plain(TITLES[state]),
    script: 'keypad.js',
    manifest: `${path}/manifest.webmanifest`,
    ...(isLive && { followedInvoiceId: invoice.publicId }),
    banner: chainUnseenBanner(isChainSeen || !isLive, text),
    invoiceId: invoice.publicId,
    body: livePart('live', content),
  })
}

const TITLES = {
  payable: 'keypad_scan',
  confirming: 'keypad_seen',
  paid: 'status_paid',
  short: 'keypad_short',
  late: 'keypad_late',
  settled: 'badge_marked_settled',
  canceled: 'badge_canceled',
  over: 'status_expired',
} as const satisfies Record<CheckoutState, DashboardMessage>

function result(view: SaleView): Html {
  const { state, invoice, text } = view
  const title = html`<h1 data-announce${statusAttributes(invoice, undefined)}>${say(TITLES[state])}</h1>`
  switch (state) {
    case 'payable':
      return html`${title}${qrCode(remainingRequest(invoice), text.plain('qr_request'))}${arrived(view)}`
    case 'confirming':
      return html`<div class="sale-result seen" data-sound="seen"><span class="sign" aria-hidden="true">…</span>${title}<p>${say('keypad_seen_text')}</p></div>`
    case 'paid':
      return html`<div class="sale-result paid" data-sound="paid"><span class="sign" aria-hidden="true">✓</span>${title}<p>${say('keypad_received', { amount: text.zec(invoice.receivedZat) })}</p></div>`
    case 'settled':
      return html`<div class="sale-result">${title}<p>${say('keypad_settled_text')}</p></div>`
    case 'short':
      return html`<div class="sale-result">${title}${arrived(view)}</div>`
    default:
      return html`<div class="sale-result">${title}<p>${say('keypad_over')}</p></div>`
  }
}

function arrived({ invoice, text }: SaleView): Html | false {
  const { receivedZat, dueZat } = invoice
  return (
    receivedZat > 0n &&
    html`<p>${text.say('received_rest', { received: text.zec(receivedZat), rest: text.zec(dueZat) })}</p>`
  )
}

/** Shown by the service worker while the phone has no connection. */
export function offlinePage(view: BuyerView): Html {
  return buyerPage(view, {
    title: plain('keypad_offline'),
    body: html`<h1>${say('keypad_offline')}</h1><p class="center">${say('keypad_offline_text')}</p><p class="center">${say('keypad_offline_advice')}</p><p><a class="button primary full" href="">${say('keypad_again')}</a></p>`,
  })
}
