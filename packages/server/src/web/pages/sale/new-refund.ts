import type { Zat } from '../../../domain/money.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { AMOUNT_PATTERN } from '../../amount.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { invoiceTitle } from '../../components/sale/order.ts'
import { formatZecAmount } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

/** What is refunded. */
export const REFUND_PARTS = ['all', 'overpaid', 'part'] as const

interface NewRefundView {
  readonly invoice: Invoice
  readonly leftZat: Zat
  readonly part?: string
  readonly amount?: string
  readonly address?: string
  readonly reason?: string
  readonly error?: string
}

const OFF = html` autocomplete="off" spellcheck="false"`

export function newRefundPage(user: PageUser, view: NewRefundView): Html {
  const { invoice, leftZat, error } = view
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: `Refund ${invoiceTitle(invoice)}`,
    error,
    body:
      leftZat > 0n
        ? form(view)
        : html`<div class="card narrow"><p>Nothing can be refunded now: no confirmed payment is left that is not refunded already.</p>
            <p><a class="button" href="/invoices/${invoice.publicId}">Back to the invoice</a></p></div>`,
  })
}

function form({ invoice, leftZat, part, amount = '', address = '', reason = '' }: NewRefundView): Html {
  const { overpaidZat, publicId } = invoice
  const overpaid = overpaidZat > 0n && overpaidZat <= leftZat ? overpaidZat : null
  const chosen = part ?? (overpaid === null ? 'all' : 'overpaid')
  const option = (value: (typeof REFUND_PARTS)[number], label: string) =>
    html`<option value="${value}"${booleanAttribute('selected', value === chosen)}>${label}</option>`
  return html`<form class="card narrow" method="post" action="/invoices/${publicId}/refund">
    <div class="field"><label for="part">What to send back</label><select id="part" name="part">
      ${overpaid !== null && option('overpaid', `What was overpaid: ${formatZecAmount(overpaid)}`)}
      ${option('all', `Everything that is left: ${formatZecAmount(leftZat)}`)}
      ${option('part', 'Another amount')}</select></div>
    ${field({ name: 'amount', label: 'Amount in ZEC', value: amount, required: false, maxlength: 20, hint: `Only for another amount: at most ${formatZecAmount(leftZat)}.`, attributes: html` inputmode="decimal" autocomplete="off" pattern="${AMOUNT_PATTERN}"` })}
    ${field({ name: 'address', label: 'Address', value: address, required: false, maxlength: 512, attributes: OFF, hint: 'Optional. Without one you get a link for the buyer, who gives it.' })}
    ${field({ name: 'reason', label: 'Reason', value: reason, required: false, maxlength: 200, attributes: OFF, hint: 'Optional. For yourself: the buyer does not see it.' })}
    <button class="primary">Create refund</button>
  </form>`
}
