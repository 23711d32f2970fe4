import { type RefundWithInvoice, refundPayment, refundPaymentUri } from '../../../domain/sale/refund.ts'
import { confirmedButton } from '../../components/confirm.ts'
import { copyable } from '../../components/copyable.ts'
import { definitionList } from '../../components/definition-list.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { formatPrice } from '../../components/sale/fiat.ts'
import { rateLine } from '../../components/sale/invoice-details.ts'
import { invoiceTitle } from '../../components/sale/order.ts'
import { manualPayment, walletLink } from '../../components/sale/payment-request.ts'
import { refundBadge } from '../../components/sale/refund-badge.ts'
import { refundTable, SELECT_PREFIX } from '../../components/sale/refund-table.ts'
import { bigAmount, formatZecAmount, groupThousands, pluralize, shorten, timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'

interface RefundView extends RefundWithInvoice {
  /** The link for the buyer. */
  readonly url: string
  readonly error?: string
}

export function refundPage(user: PageUser, view: RefundView): Html {
  const { refund, error } = view
  const isOpen = refund.status === 'awaiting_address' || refund.status === 'ready'
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: `Refund ${shorten(refund.publicId, 8, 0)}`,
    error,
    body: html`<div class="stack">
      ${summary(view)}
      <div class="columns">
        ${refund.status === 'awaiting_address' && askBuyer(view)}
        ${refund.status === 'ready' && payRefund(view)}
        <section class="card" aria-labelledby="facts"><h2 id="facts">Details</h2>${facts(view)}
        ${isOpen && confirmedButton(`/refunds/${refund.publicId}/cancel`, 'Cancel refund', { question: 'Cancel this refund?', consequence: 'The buyer’s link stops working. You can create another refund for the invoice.' })}</section>
      </div>
    </div>`,
  })
}

function summary({ refund }: RefundView): Html {
  const { status, amountZat } = refund
  const price = formatPrice(refund)
  return html`<section class="card hero" aria-label="Status">
    <p>${refundBadge(status)}</p>
    ${bigAmount(price ?? formatZecAmount(amountZat))}
    <p class="below">${price !== null && html`${formatZecAmount(amountZat)} · `}${groupThousands(amountZat)} zat</p>
    ${rateLine(refund)}
    <p>${EXPLANATIONS[status]}</p>
  </section>`
}

const EXPLANATIONS = {
  awaiting_address: 'Send the link to the buyer, who gives an address for the refund.',
  ready: 'Pay it from your own wallet, then mark it as sent.',
  sent: 'You marked this refund as sent.',
  canceled: 'You canceled this refund. Do not pay it.',
} as const

function askBuyer({ refund, invoice, url }: RefundView): Html {
  const subject = `Your refund for ${invoice.orderId === null ? 'your order' : `order ${invoice.orderId}`}`
  const body = `Please enter the address of your Zcash wallet here, so that we can send back ${formatZecAmount(refund.amountZat)}:\n\n${url}\n`
  const mail = `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`
  return html`<section class="card" aria-labelledby="ask"><h2 id="ask">Link for the buyer</h2>
    <p>${copyable(url, 'the link')}</p>
    <p><a class="button" href="${mail}">Write a mail</a></p>
    <p class="hint">Send it to the address of the order only: the link decides where the money goes.</p>
  </section>`
}

function payRefund(view: RefundView): Html {
  const { address, amountZat, publicId } = view.refund
  const uri = refundPaymentUri(view)
  if (address === null || uri === null) return html``
  return html`<section class="card checkout" aria-labelledby="pay"><h2 id="pay">Pay from your wallet</h2>
    ${walletLink(uri)}
    ${manualPayment(amountZat, address)}
    ${sentForm(`/refunds/${publicId}/sent`, [])}
  </section>`
}

/** @param ids of several refunds */
function sentForm(action: string, ids: readonly string[]): Html {
  return html`<form method="post" action="${action}">
    ${ids.map(id => html`<input type="hidden" name="${SELECT_PREFIX}${id}" value="1">`)}
    ${field({ name: 'txid', label: 'Transaction ID', maxlength: 64, hint: 'Your wallet shows it once the payment is sent: 64 characters.', attributes: html` autocomplete="off" spellcheck="false" autocapitalize="none"` })}
    <button class="primary">Mark as sent</button></form>`
}

function facts({ refund, invoice }: RefundView): Html {
  const { reason, address, addressFromBuyer, txid, createdAt, updatedAt } = refund
  const rows: (readonly [string, Child])[] = [
    ['Invoice', html`<a href="/invoices/${invoice.publicId}">${invoiceTitle(invoice)}</a>`],
    ...(reason === null ? [] : [['Reason', reason] as const]),
    ['ID', copyable(refund.publicId, 'the ID')],
    ...(address === null
      ? []
      : [[addressFromBuyer ? 'Address, from the buyer' : 'Address', copyable(address, 'the address')] as const]),
    ...(txid === null ? [] : [['Transaction', copyable(txid, 'the transaction ID')] as const]),
    ['Created', timeElement(createdAt)],
    ['Last change', timeElement(updatedAt)],
  ]
  return definitionList(rows)
}

/** One payment request for several refunds. */
export function refundPaymentPage(user: PageUser, refunds: readonly RefundWithInvoice[], error?: string): Html {
  const { uri, totalZat } = refundPayment(refunds)
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: `Pay ${pluralize(refunds.length, 'refund')}`,
    error,
    body: html`<div class="columns">
      <section class="card checkout" aria-labelledby="pay"><h2 id="pay">One payment of your wallet</h2>
        ${bigAmount(formatZecAmount(totalZat))}
        ${walletLink(uri)}
        <p class="hint">A payment request for ${pluralize(refunds.length, 'payment')} (ZIP 321). If your wallet does not read it, pay the refunds one by one.</p>
        ${sentForm(
          '/refunds/sent',
          refunds.map(({ refund }) => refund.publicId),
        )}
      </section>
      <section class="card" aria-label="Refunds">${refundTable(refunds, false)}</section>
    </div>`,
  })
}
