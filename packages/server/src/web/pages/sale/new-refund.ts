import { MAX_REFUND_ADDRESS_CHARS, REFUND_FIELDS } from '../../../domain/sale/refund.ts'
import type { Refundable } from '../../../services/sale/refund.ts'
import { AMOUNT_PATTERN } from '../../amount.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { invoiceTitle } from '../../components/sale/order.ts'
import { formatZecAmount } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

interface NewRefundView extends Refundable {
  /** By it a form that is sent twice makes one refund. */
  readonly formId: string
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
    title: plain('refund_of', { invoice: invoiceTitle(invoice) }),
    error,
    body:
      leftZat > 0n
        ? form(view)
        : html`<div class="card narrow"><p>${say('refund_nothing')}</p>
            <p><a class="button" href="/invoices/${invoice.publicId}">${say('back_to_invoice')}</a></p></div>`,
  })
}

function form({
  invoice,
  leftZat,
  excessZat,
  formId,
  part,
  amount = '',
  address = '',
  reason = '',
}: NewRefundView): Html {
  const { publicId } = invoice
  const overpaid = excessZat > 0n ? excessZat : null
  const chosen = part ?? (overpaid === null ? 'all' : 'overpaid')
  const option = (value: 'all' | 'overpaid' | 'part', label: string) =>
    html`<option value="${value}"${booleanAttribute('selected', value === chosen)}>${label}</option>`
  return html`<form class="card narrow" method="post" action="/invoices/${publicId}/refund">
    <input type="hidden" name="form" value="${formId}">
    <div class="field"><label for="part">${say('refund_part')}</label><select id="part" name="part">
      ${overpaid !== null && option('overpaid', plain('refund_overpaid', { amount: formatZecAmount(overpaid) }))}
      ${option('all', plain('refund_all', { amount: formatZecAmount(leftZat) }))}
      ${option('part', plain('refund_other'))}</select></div>
    ${field({ name: 'amount', label: plain('amount_in_zec'), value: amount, required: false, maxlength: 20, hint: plain('refund_other_hint', { amount: formatZecAmount(leftZat) }), attributes: html` inputmode="decimal" autocomplete="off" pattern="${AMOUNT_PATTERN}"` })}
    ${field({ name: 'address', label: plain('address'), value: address, required: false, maxlength: MAX_REFUND_ADDRESS_CHARS, attributes: OFF, hint: plain('refund_address_hint') })}
    ${field({ name: 'reason', label: plain('reason'), value: reason, required: false, maxlength: REFUND_FIELDS.reason.request.maxLength, attributes: OFF, hint: plain('refund_reason_hint') })}
    <button class="primary">${say('refund_create')}</button>
  </form>`
}
