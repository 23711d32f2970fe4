import { EXPIRY_SECS } from '../../../domain/sale/invoice-fields.ts'
import { formatDuration } from '../../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../../html.ts'

const CHOICES = [EXPIRY_SECS.default, 3_600, 6 * 3_600, EXPIRY_SECS.max]

/** How long an invoice is valid. @param chosen seconds as text, added to the choices if it is a positive whole number @param first before all others */
export function expiryField(label: string, chosen: string, first?: Child): Html {
  const own = Number(chosen)
  const choices = Number.isInteger(own) && own > 0 && !CHOICES.includes(own) ? [...CHOICES, own] : CHOICES
  const options = choices
    .toSorted((a, b) => a - b)
    .map(
      secs =>
        html`<option value="${secs}"${booleanAttribute('selected', String(secs) === chosen)}>${formatDuration(secs)}</option>`,
    )
  return html`<div class="field"><label for="expires_in_secs">${label}</label><select id="expires_in_secs" name="expires_in_secs">${first}${options}</select></div>`
}
