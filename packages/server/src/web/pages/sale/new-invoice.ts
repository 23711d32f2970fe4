import { EXPIRY_SECS, INVOICE_FIELDS } from '../../../domain/sale/invoice.ts'
import { DECIMAL_PATTERN } from '../../amount.ts'
import { field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { expiryField } from '../../components/sale/expiry-field.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

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
    title: 'New invoice',
    error,
    body: viewingKeySet
      ? html`<form class="card narrow" method="post" action="/invoices">
          ${amountFields(units, form)}
          ${field({ name: 'order_id', label: 'Order', value: orderId ?? '', required: false, maxlength: INVOICE_FIELDS.orderId.request.maxLength, attributes: OFF, hint: 'Optional. The number under which you find the invoice again.' })}
          ${field({ name: 'description', label: 'Description', value: description ?? '', required: false, maxlength: INVOICE_FIELDS.description.request.maxLength, attributes: OFF, hint: 'Optional. The buyer sees it above the amount.' })}
          ${expiryField('Valid for', form.expires_in_secs ?? String(EXPIRY_SECS.default))}
          <button class="primary">Create invoice</button>
        </form>`
      : html`<div class="card narrow"><p>Invoice addresses are derived from your viewing key. You have not set one yet.</p><p><a class="button primary" href="/viewing-key">Set your viewing key</a></p></div>`,
  })
}

function amountFields(
  units: readonly string[],
  { amount = '', unit = 'ZEC', open_amount: open }: NewInvoiceForm,
): Html {
  const options = units.map(name => html`<option${booleanAttribute('selected', name === unit)}>${name}</option>`)
  return html`<div class="amount-with-unit">
      ${field({ name: 'amount', label: 'Amount', value: amount, required: false, autofocus: true, maxlength: 25, describedBy: 'amount-help', attributes: html` inputmode="decimal" autocomplete="off" pattern="${DECIMAL_PATTERN}"` })}
      <div class="field"><label for="unit">Currency</label><select id="unit" name="unit">${options}</select></div>
    </div>
    <p class="hint" id="amount-help">A price in money is converted to ZEC once, at the current rate. An amount in ZEC has up to eight decimal places.</p>
    <label class="choice"><input type="checkbox" name="open_amount" value="1"${booleanAttribute('checked', open !== undefined)}> Let the buyer choose the amount</label>`
}
