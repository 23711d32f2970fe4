import { AMOUNT_PATTERN } from '../amount.ts'
import { booleanAttribute, type Child, type Html, html } from '../html.ts'
import { plain } from '../text/dashboard.ts'

interface FieldOptions {
  readonly name: string
  readonly label: Child
  readonly type?: string
  readonly value?: string
  /** Shown below the field. */
  readonly hint?: Child
  /** The fault of the value, shown at the field. */
  readonly error?: Child
  /** The id of the hint, when it stands elsewhere. */
  readonly describedBy?: string
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly maxlength?: number
  /** Extra attributes as HTML, each with a leading space. */
  readonly attributes?: Html
}

/** An input with its label and hint. */
export function field(options: FieldOptions): Html {
  const {
    name,
    label,
    type = 'text',
    value = '',
    hint,
    error,
    describedBy = hint === undefined ? undefined : `${name}-hint`,
    required = true,
    autofocus = false,
    maxlength,
    attributes,
  } = options
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" type="${type}" value="${value}"${describedBy !== undefined && html` aria-describedby="${describedBy}"`}${maxlength !== undefined && html` maxlength="${maxlength}"`}${booleanAttribute('required', required)}${booleanAttribute('autofocus', autofocus)}${attributes}>
    ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`
}

/** Attributes of a field for an email. Browsers refuse addresses that are not ASCII in fields of the type `email`. */
export const EMAIL_ATTRIBUTES = html` inputmode="email" autocomplete="email" autocapitalize="none" spellcheck="false"`

/** A field for an amount in ZEC, parsed by `parseZec`. */
export function amountField(options: { value: string; hint: Child; autofocus?: boolean }): Html {
  return field({
    ...options,
    name: 'amount',
    label: plain('amount_in_zec'),
    maxlength: 20,
    attributes: html` inputmode="decimal" autocomplete="off" pattern="${AMOUNT_PATTERN}"`,
  })
}

/** A form with a single button. */
export function actionButton(action: string, label: Child, options: { kind?: string; describe?: string } = {}): Html {
  const { kind = '', describe } = options
  return html`<form method="post" action="${action}"><button class="${kind}"${describe !== undefined && html` aria-label="${describe}"`}>${label}</button></form>`
}
