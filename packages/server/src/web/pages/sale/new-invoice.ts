import { EXPIRY_SECS } from '../../../domain/sale/invoice.ts'
import { amountField, field } from '../../components/form.ts'
import { dashboardPage, type PageUser } from '../../components/layout.ts'
import { formatDuration } from '../../format.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'

interface NewInvoiceView {
  readonly viewingKeySet: boolean
  readonly amount?: string
  readonly orderId?: string
  readonly description?: string
  readonly expiresInSecs?: string
  readonly error?: string
}

const OFF = html` autocomplete="off"`
const EXPIRIES = [EXPIRY_SECS.default, 3_600, 6 * 3_600, EXPIRY_SECS.max]

export function newInvoicePage(
  user: PageUser,
  { viewingKeySet, amount = '', orderId = '', description = '', expiresInSecs, error }: NewInvoiceView,
): Html {
  const selected = expiresInSecs ?? String(EXPIRY_SECS.default)
  const expiries = EXPIRIES.map(
    secs =>
      html`<option value="${secs}"${booleanAttribute('selected', String(secs) === selected)}>${formatDuration(secs)}</option>`,
  )
  return dashboardPage({
    ...user,
    menuPath: '/invoices',
    title: 'New invoice',
    error,
    body: viewingKeySet
      ? html`<form class="card narrow" method="post" action="/invoices">
          ${amountField({ value: amount, autofocus: true, hint: 'Up to eight decimal places. 0.001 ZEC is 100,000 zat.' })}
          ${field({ name: 'order_id', label: 'Order', value: orderId, required: false, maxlength: 128, attributes: OFF, hint: 'Optional. The number under which you find the invoice again.' })}
          ${field({ name: 'description', label: 'Description', value: description, required: false, maxlength: 200, attributes: OFF, hint: 'Optional. The buyer sees it above the amount.' })}
          <div class="field"><label for="expires_in_secs">Valid for</label><select id="expires_in_secs" name="expires_in_secs">${expiries}</select></div>
          <button class="primary">Create invoice</button>
        </form>`
      : html`<div class="card narrow"><p>Invoice addresses are derived from your viewing key. You have not set one yet.</p><p><a class="button primary" href="/viewing-key">Set your viewing key</a></p></div>`,
  })
}
