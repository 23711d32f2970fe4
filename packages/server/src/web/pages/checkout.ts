import { type InvoiceStatus, isFinal } from '../../domain/invoice.ts'
import { paymentUri } from '../../domain/payment-uri.ts'
import { confirmationSecs, waitingTimeText } from '../../domain/waiting-time.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import { plainPage } from '../components/layout.ts'
import { copyButton, liveAttributes } from '../components/parts.ts'
import { qrCode } from '../components/qr-code.ts'
import { grouped, moment, zec } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'

export interface CheckoutView {
  readonly invoice: Invoice
  /** What the parts that come later offer: other assets to pay in. */
  readonly further: Child
  /** Seconds between blocks now. */
  readonly spacingSecs: number
}

const TITLES: Readonly<Record<InvoiceStatus, string>> = {
  pending: 'Pay with Zcash',
  detected: 'Payment seen',
  paid: 'Paid',
  underpaid: 'Paid too little',
  expired: 'Expired',
}

/** What the buyer sees. */
export function checkoutPage(view: CheckoutView): Html {
  const { invoice } = view
  const content = html`
      ${mark(invoice.status)}
      <h1 data-announce>${TITLES[invoice.status]}</h1>
      ${invoice.status === 'pending' ? request(view) : outcome(view)}`
  return plainPage({
    title: TITLES[invoice.status],
    ...(isFinal(invoice.status) ? {} : { follow: invoice.publicId }),
    body: html`<div class="card narrow checkout"${liveAttributes('live', content)}>${content}</div>`,
  })
}

const MARKS: Readonly<Record<Exclude<InvoiceStatus, 'pending'>, readonly [kind: string, path: string]>> = {
  detected: ['wait', 'M24 15v9l6 4'],
  paid: ['good', 'M15 25l6 6 12-13'],
  underpaid: ['bad', 'M24 14v12M24 33v.1'],
  expired: ['bad', 'M17 17l14 14M31 17L17 31'],
}

function mark(status: InvoiceStatus): Html | false {
  if (status === 'pending') return false
  const [kind, path] = MARKS[status]
  return html`<svg class="mark mark-${kind}" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="24"/><path d="${path}"/></svg>`
}

function request({ invoice, further }: CheckoutView): Html {
  const missing = invoice.amountZat - invoice.receivedZat
  const uri = paymentUri(invoice.address, missing, invoice.publicId)
  return html`
    <p class="big center">${zec(missing)}</p>
    <p class="below center">${grouped(missing)} zat${invoice.receivedZat > 0n && html` still missing; ${zec(invoice.receivedZat)} has come`}</p>
    <a class="qr-link" href="${uri}">${qrCode(uri, 'Payment request as a QR code')}</a>
    <p><a class="button primary full" href="${uri}">Open in your wallet</a></p>
    <h2>Or send it by hand</h2>
    <dl class="facts stacked">
      <div><dt>Exactly</dt><dd><code>${zec(missing)}</code> ${copyButton(zec(missing).replace(/,| ZEC/g, ''), 'the amount')}</dd></div>
      <div><dt>To this address</dt><dd><code>${invoice.address}</code> ${copyButton(invoice.address, 'the address')}</dd></div>
    </dl>
    <p class="hint">Valid until ${moment(invoice.expiresAt)}<span class="countdown" data-until="${invoice.expiresAt}"></span>. This page notices the payment by itself.</p>
    ${further}`
}

function outcome({ invoice, spacingSecs }: CheckoutView): Html {
  const wait = waitingTimeText(confirmationSecs(invoice.confirmations, spacingSecs))
  const amount = html`<p class="big center">${zec(invoice.amountZat)}</p>`
  switch (invoice.status) {
    case 'pending':
    case 'detected':
      return html`${amount}<p class="center">The full amount has been seen. It counts as paid once the network has confirmed it, usually ${invoice.confirmations > 0 && 'in '}${wait}. You can leave this page.</p>`
    case 'paid':
      return html`${amount}<p class="center">Thank you. The payment is confirmed.</p>`
    case 'underpaid':
      return html`${amount}<p class="center">Only ${zec(invoice.receivedZat)} came in time. Please contact the shop.</p>`
    case 'expired':
      return html`${amount}<p class="center">The time to pay is over. Please ask the shop for a new invoice, and do not pay this one.</p>`
  }
}
