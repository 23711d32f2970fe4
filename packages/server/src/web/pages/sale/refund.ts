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
import { bigAmount, formatZecAmount, groupThousands, shorten, timeElement } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

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
    title: plain('refund_name', { id: shorten(refund.publicId, 8, 0) }),
    error,
    body: html`<div class="stack">
      ${summary(view)}
      <div class="columns">
        ${refund.status === 'awaiting_address' && askBuyer(view)}
        ${refund.status === 'ready' && payRefund(view)}
        <section class="card" aria-labelledby="facts"><h2 id="facts">${say('details')}</h2>${facts(view)}
        ${isOpen && confirmedButton(`/refunds/${refund.publicId}/cancel`, plain('refund_cancel'), { question: plain('refund_cancel_question'), consequence: plain('refund_cancel_effect') })}</section>
      </div>
    </div>`,
  })
}

function summary({ refund }: RefundView): Html {
  const { status, amountZat } = refund
  const price = formatPrice(refund)
  return html`<section class="card hero" aria-label="${plain('status')}">
    <p>${refundBadge(status)}</p>
    ${bigAmount(price ?? formatZecAmount(amountZat))}
    <p class="below">${price !== null && html`${formatZecAmount(amountZat)} · `}${groupThousands(amountZat)} zat</p>
    ${rateLine(refund)}
    <p>${EXPLANATIONS[status]}</p>
  </section>`
}

const EXPLANATIONS = {
  awaiting_address: plain('refund_awaiting_text'),
  ready: plain('refund_ready_text'),
  sent: plain('refund_sent_text'),
  canceled: plain('refund_canceled_text'),
} as const

function askBuyer({ refund, invoice, url }: RefundView): Html {
  const { orderId } = invoice
  const subject =
    orderId === null ? plain('refund_mail_subject') : plain('refund_mail_subject_order', { order: orderId })
  const request = plain('refund_mail_request', { amount: formatZecAmount(refund.amountZat) })
  const body = `${request}\n\n${url}\n`
  const mail = `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`
  return html`<section class="card" aria-labelledby="ask"><h2 id="ask">${say('refund_link')}</h2>
    <p>${copyable(url, plain('the_link'))}</p>
    <p><a class="button" href="${mail}">${say('send_email')}</a></p>
    <p class="hint">${say('refund_link_hint')}</p>
  </section>`
}

function payRefund(view: RefundView): Html {
  const { address, amountZat, publicId } = view.refund
  const uri = refundPaymentUri(view)
  if (address === null || uri === null) return html``
  return html`<section class="card checkout" aria-labelledby="pay"><h2 id="pay">${say('pay_from_wallet')}</h2>
    ${walletLink(uri)}
    ${manualPayment(amountZat, address)}
    ${sentForm(`/refunds/${publicId}/sent`, [])}
  </section>`
}

/** @param ids of several refunds */
function sentForm(action: string, ids: readonly string[]): Html {
  return html`<form method="post" action="${action}">
    ${ids.map(id => html`<input type="hidden" name="${SELECT_PREFIX}${id}" value="1">`)}
    ${field({ name: 'txid', label: plain('transaction_id'), maxlength: 64, hint: plain('refund_txid_hint'), attributes: html` autocomplete="off" spellcheck="false" autocapitalize="none"` })}
    <button class="primary">${say('refund_mark_sent')}</button></form>`
}

function facts({ refund, invoice }: RefundView): Html {
  const { reason, address, addressFromBuyer, txid, createdAt, updatedAt } = refund
  const rows: (readonly [string, Child])[] = [
    [plain('invoice'), html`<a href="/invoices/${invoice.publicId}">${invoiceTitle(invoice)}</a>`],
    ...(reason === null ? [] : [[plain('reason'), reason] as const]),
    [plain('id'), copyable(refund.publicId, plain('the_id'))],
    ...(address === null
      ? []
      : [
          [
            addressFromBuyer ? plain('refund_address_from_buyer') : plain('address'),
            copyable(address, plain('the_address')),
          ] as const,
        ]),
    ...(txid === null ? [] : [[plain('transaction'), copyable(txid, plain('the_transaction_id'))] as const]),
    [plain('created'), timeElement(createdAt)],
    [plain('last_change'), timeElement(updatedAt)],
  ]
  return definitionList(rows)
}

/** One payment request for several refunds. */
export function refundPaymentPage(user: PageUser, refunds: readonly RefundWithInvoice[], error?: string): Html {
  const { uri, totalZat } = refundPayment(refunds)
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: plain('refunds_pay', { count: refunds.length }),
    error,
    body: html`<div class="columns">
      <section class="card checkout" aria-labelledby="pay"><h2 id="pay">${say('refunds_pay_one')}</h2>
        ${bigAmount(formatZecAmount(totalZat))}
        ${walletLink(uri)}
        <p class="hint">${say('refunds_pay_hint', { count: refunds.length })}</p>
        ${sentForm(
          '/refunds/sent',
          refunds.map(({ refund }) => refund.publicId),
        )}
      </section>
      <section class="card" aria-label="${plain('refunds')}">${refundTable(refunds, false)}</section>
    </div>`,
  })
}
