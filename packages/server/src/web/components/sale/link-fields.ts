import { LINK_LIMITS } from '../../../domain/sale/payment-link.ts'
import { DECIMAL_PATTERN } from '../../amount.ts'
import type { FormFields } from '../../forms.ts'
import { booleanAttribute, type Html, html } from '../../html.ts'
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
    ${field({ name: 'title', label: 'Title', value: text('title'), maxlength: LINK_LIMITS.title, hint: 'What buyers see, such as “T-shirt” or “Donation”.' })}
    ${field({ ...optional, name: 'description', label: 'Description', value: text('description'), maxlength: LINK_LIMITS.description })}
    <div class="field"><label for="currency">Currency</label><select id="currency" name="currency">${options}</select></div>
    <fieldset><legend>Amount</legend>
      ${choice('fixed', 'A price')}
      ${field({ ...optional, name: 'amount', label: 'Price', value: text('amount'), maxlength: 25, attributes: MONEY })}
      ${choice('open', 'The buyer chooses, as for a donation')}
      ${field({ ...optional, name: 'suggested_amounts', label: 'Suggested amounts', value: text('suggested_amounts'), maxlength: 110, hint: 'Up to four, separated by spaces, such as 5 10 20.', attributes: html` autocomplete="off"` })}
      ${field({ ...optional, name: 'min_amount', label: 'Minimum', value: text('min_amount'), maxlength: 25, attributes: MONEY })}
    </fieldset>
    ${field({ ...optional, name: 'stock', label: 'Stock', type: 'number', value: text('stock'), hint: 'How many are sold at most. An unpaid invoice holds one for 30 minutes. Empty: no limit.', attributes: html` min="1" max="${LINK_LIMITS.stock}" inputmode="numeric"` })}
    ${field({ ...optional, name: 'last_day', label: 'Last day', type: 'date', value: text('last_day'), hint: 'It ends with this day in UTC. Empty: it does not end.' })}
    <details${booleanAttribute('open', text('label_1') !== '')}><summary>Ask the buyer for something</summary>
      <p class="hint">Such as a name, a size or an email. The answers stand in the metadata of the invoice.</p>
      ${[1, 2, 3, 4, 5].map(number => asked(form, number))}</details>
    ${field({ ...optional, name: 'success_url', label: 'Page after the payment', type: 'url', value: text('success_url'), maxlength: 2048, attributes: html` placeholder="https://shop.example/thanks" autocomplete="off"` })}`
}

function asked(form: FormFields, number: number): Html {
  const [label, required] = [`label_${number}`, `required_${number}`]
  return html`${field({ name: label, label: `Field ${number}`, value: form[label] ?? '', required: false, maxlength: LINK_LIMITS.label })}
    <label class="choice"><input type="checkbox" name="${required}" value="1"${booleanAttribute('checked', form[required] !== undefined)}> Required<span class="unseen">, field ${number}</span></label>`
}
