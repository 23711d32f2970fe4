import { LINK_FIELD_LIMITS } from '../../../domain/sale/link-field.ts'
import { LINK_FIELDS } from '../../../domain/sale/payment-link-fields.ts'
import { DECIMAL_PATTERN } from '../../amount.ts'
import type { FormFields } from '../../forms.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { field } from '../form.ts'

const MONEY = html` inputmode="decimal" autocomplete="off" pattern="${DECIMAL_PATTERN}"`

/** The fields of a payment link. @param units the currencies to choose from */
export function linkFields(form: FormFields, units: readonly string[]): Html {
  const { currency = '', kind = 'fixed' } = form
  const text = (name: string) => form[name] ?? ''
  const options = units.map(
    unit => html`<option value="${unit}"${booleanAttribute('selected', unit === currency)}>${unit}</option>`,
  )
  const choice = (value: string, label: string) =>
    html`<label class="choice"><input type="radio" name="kind" value="${value}"${booleanAttribute('checked', kind === value)}> ${label}</label>`
  const optional = { required: false }
  return html`
    ${field({ name: 'title', label: say('links_title'), value: text('title'), maxlength: LINK_FIELDS.title.request.maxLength, hint: say('links_title_hint') })}
    ${field({ ...optional, name: 'description', label: say('description'), value: text('description'), maxlength: LINK_FIELDS.description.request.maxLength })}
    <div class="field"><label for="currency">${say('currency')}</label><select id="currency" name="currency">${options}</select></div>
    <fieldset><legend>${say('amount')}</legend>
      ${choice('fixed', plain('links_fixed'))}
      ${field({ ...optional, name: 'amount', label: say('links_price'), value: text('amount'), maxlength: 25, attributes: MONEY })}
      ${choice('open', plain('links_chosen'))}
      ${field({ ...optional, name: 'suggested_amounts', label: say('links_suggested'), value: text('suggested_amounts'), maxlength: 110, hint: say('links_suggested_hint'), attributes: html` autocomplete="off"` })}
      ${field({ ...optional, name: 'min_amount', label: say('links_minimum'), value: text('min_amount'), maxlength: 25, attributes: MONEY })}
    </fieldset>
    ${field({ ...optional, name: 'stock', label: say('links_stock'), type: 'number', value: text('stock'), hint: say('links_stock_hint'), attributes: html` min="1" max="${LINK_FIELDS.stock.request.maximum}" inputmode="numeric"` })}
    ${field({ ...optional, name: 'last_day', label: say('links_last_day'), type: 'date', value: text('last_day'), hint: say('links_last_day_hint') })}
    <details${booleanAttribute('open', text('label_1') !== '')}><summary>${say('links_ask')}</summary>
      <p class="hint">${say('links_ask_hint')}</p>
      ${[1, 2, 3, 4, 5].map(number => asked(form, number))}</details>
    ${field({ ...optional, name: 'success_url', label: say('links_after'), type: 'url', value: text('success_url'), maxlength: 2048, attributes: html` placeholder="https://shop.example/thanks" autocomplete="off"` })}`
}

function asked(form: FormFields, number: number): Html {
  const [label, required] = [`label_${number}`, `required_${number}`]
  return html`${field({ name: label, label: say('links_field', { number }), value: form[label] ?? '', required: false, maxlength: LINK_FIELD_LIMITS.label })}
    <label class="choice"><input type="checkbox" name="${required}" value="1"${booleanAttribute('checked', form[required] !== undefined)}> ${say('links_required')}<span class="unseen">, ${say('links_field', { number })}</span></label>`
}
