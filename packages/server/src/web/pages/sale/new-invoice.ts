import { EXPIRY_SECS, INVOICE_FIELDS } from '../../../domain/sale/invoice.ts'
import { DECIMAL_PATTERN } from '../../amount.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { expiryField } from '../../components/sale/expiry-field.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'

/** The fields of the form as they were sent. */
export interface NewInvoiceForm {
  readonly amount?: string | undefined
  readonly unit?: string | undefined
  /** Present: the buyer chooses the amount. */
  readonly open_amount?: string | undefined
  readonly order_id?: string | undefined
  readonly description?: string | undefined
  readonly expires_in_secs?: string | undefined
}

interface NewInvoiceView {
  readonly viewingKeySet: boolean
  /** ZEC and the currencies in which a price can be given. */
  readonly units: readonly string[]
  readonly form: NewInvoiceForm
  readonly error?: string
}

const OFF = html` autocomplete="off"`

export function newInvoicePage(user: PageUser, { viewingKeySet, units, form, error }: NewInvoiceView): Html {
  const { order_id: orderId, description } = form
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: plain('invoice_new'),
    error,
    body: viewingKeySet
      ? html`<form class="card narrow" method="post" action="/invoices">
          ${amountFields(units, form)}
          ${field({ name: 'order_id', label: plain('order'), value: orderId ?? '', required: false, maxlength: INVOICE_FIELDS.orderId.request.maxLength, attributes: OFF, hint: plain('order_hint') })}
          ${field({ name: 'description', label: plain('description'), value: description ?? '', required: false, maxlength: INVOICE_FIELDS.description.request.maxLength, attributes: OFF, hint: plain('description_hint') })}
          ${expiryField(plain('valid_for'), form.expires_in_secs ?? String(EXPIRY_SECS.default))}
          <button class="primary">${say('invoice_create')}</button>
        </form>`
      : html`<div class="card narrow"><p>${say('invoice_needs_viewing_key')}</p><p><a class="button primary" href="/viewing-key">${say('set_your_viewing_key')}</a></p></div>`,
  })
}

function amountFields(
  units: readonly string[],
  { amount = '', unit = 'ZEC', open_amount: open }: NewInvoiceForm,
): Html {
  const options = units.map(name => html`<option${booleanAttribute('selected', name === unit)}>${name}</option>`)
  return html`<div class="amount-with-unit">
      ${field({ name: 'amount', label: plain('amount'), value: amount, required: false, autofocus: true, maxlength: 25, describedBy: 'amount-help', attributes: html` inputmode="decimal" autocomplete="off" pattern="${DECIMAL_PATTERN}"` })}
      <div class="field"><label for="unit">${say('currency')}</label><select id="unit" name="unit">${options}</select></div>
    </div>
    <p class="hint" id="amount-help">${say('amount_hint')}</p>
    <label class="choice"><input type="checkbox" name="open_amount" value="1"${booleanAttribute('checked', open !== undefined)}> ${say('invoice_open_amount')}</label>`
}
