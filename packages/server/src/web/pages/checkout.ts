import { confirmationSecs, formatWaitingTime } from '../../domain/confirmation-time.ts'
import { type InvoiceStatus, isFinal } from '../../domain/invoice.ts'
import { paymentUri } from '../../domain/payment-uri.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Swap } from '../../ports/repository/swap.ts'
import { chainUnseenBanner } from '../components/chain-unseen.ts'
import { type CheckoutLinks, returnLink } from '../components/checkout-links.ts'
import { plainPage } from '../components/layout.ts'
import { liveAttributes, statusAttributes } from '../components/live.ts'
import { manualPayment, walletLink } from '../components/payment-request.ts'
import { formatZecAmount, groupThousands, timeElement } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'

interface CheckoutView {
  readonly invoice: Invoice
  readonly links: CheckoutLinks
  /** The last swap, if there is one. */
  readonly swap?: Swap | undefined
  /** Content below the payment request: paying with other assets. */
  readonly extra: Child
  /** Current block spacing in seconds. */
  readonly spacingSecs: number
  /** Whether a payment made now is seen. */
  readonly isChainSeen: boolean
}

const TITLES: Readonly<Record<InvoiceStatus, string>> = {
  pending: 'Pay with Zcash',
  detected: 'Payment detected',
  paid: 'Paid',
  underpaid: 'Underpaid',
  expired: 'Expired',
}

/** The page where a buyer pays an invoice in ZEC and sees its status. */
export function checkoutPage(view: CheckoutView): Html {
  const { invoice, links, swap } = view
  const content = html`
      ${mark(invoice.status)}
      <h1 data-announce${statusAttributes(invoice, swap)}>${TITLES[invoice.status]}</h1>
      ${invoice.status === 'pending' ? request(view) : outcome(view)}
      ${returnLink(links, invoice.status !== 'pending')}`
  return plainPage({
    title: TITLES[invoice.status],
    embedding: links.embedding,
    ...(isFinal(invoice.status)
      ? {}
      : { liveInvoiceId: invoice.publicId, banner: chainUnseenBanner(view.isChainSeen) }),
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

function request({ invoice, extra }: CheckoutView): Html {
  const remaining = invoice.amountZat - invoice.receivedZat
  const uri = paymentUri(invoice.address, remaining, invoice.publicId)
  return html`
    <p class="big center">${formatZecAmount(remaining)}</p>
    <p class="below center">${groupThousands(remaining)} zat</p>
    ${invoice.receivedZat > 0n && html`<p class="below center">${formatZecAmount(invoice.receivedZat)} received. ${formatZecAmount(remaining)} left to pay.</p>`}
    ${walletLink(uri)}
    <h2>Or pay manually</h2>
    ${manualPayment(remaining, invoice.address)}
    <p class="hint">Valid until ${timeElement(invoice.expiresAt)}<span class="countdown" data-until="${invoice.expiresAt}"></span>. This page updates when the payment arrives.</p>
    ${extra}`
}

function outcome({ invoice, links, spacingSecs }: CheckoutView): Html {
  const waitText = formatWaitingTime(confirmationSecs(invoice.confirmations, spacingSecs))
  const amount = html`<p class="big center">${formatZecAmount(invoice.amountZat)}</p>`
  switch (invoice.status) {
    case 'pending':
    case 'detected':
      return html`${amount}<p class="center">The full amount has been detected. The invoice is paid once the network confirms it, usually ${invoice.confirmations > 0 && 'in '}${waitText}.${!links.embedding && ' You can close this page.'}</p>`
    case 'paid':
      return html`${amount}<p class="center">Thank you. The payment is confirmed.</p>`
    case 'underpaid':
      return html`${amount}<p class="center">Only ${formatZecAmount(invoice.receivedZat)} arrived in time. Please contact the shop.</p>`
    case 'expired':
      return html`${amount}<p class="center">This invoice has expired. Do not pay it. Please ask the shop for a new one.</p>`
  }
}
