import { MAX_REFUND_ADDRESS_CHARS, REFUND_FIELDS } from '../../../domain/sale/refund.ts'
import type { Refundable } from '../../../services/sale/refund.ts'
import { AMOUNT_PATTERN } from '../../amount.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { invoiceTitle } from '../../components/sale/order.ts'
import { formatZecAmount } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

interface NewRefundView extends Refundable {
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
  const option = (value: 'all' | 'overpaid' | 'part', label: string) =>
    html`<option value="${value}"${booleanAttribute('selected', value === chosen)}>${label}</option>`
  return html`<form class="card narrow" method="post" action="/invoices/${publicId}/refund">
    <div class="field"><label for="part">What to send back</label><select id="part" name="part">
      ${overpaid !== null && option('overpaid', `What was overpaid: ${formatZecAmount(overpaid)}`)}
      ${option('all', `Everything that is left: ${formatZecAmount(leftZat)}`)}
      ${option('part', 'Another amount')}</select></div>
    ${field({ name: 'amount', label: 'Amount in ZEC', value: amount, required: false, maxlength: 20, hint: `Only for another amount: at most ${formatZecAmount(leftZat)}.`, attributes: html` inputmode="decimal" autocomplete="off" pattern="${AMOUNT_PATTERN}"` })}
    ${field({ name: 'address', label: 'Address', value: address, required: false, maxlength: MAX_REFUND_ADDRESS_CHARS, attributes: OFF, hint: 'Optional. Without one you get a link for the buyer, who gives it.' })}
    ${field({ name: 'reason', label: 'Reason', value: reason, required: false, maxlength: REFUND_FIELDS.reason.request.maxLength, attributes: OFF, hint: 'Optional. For yourself: the buyer does not see it.' })}
    <button class="primary">Create refund</button>
  </form>`
}
