import { LINK_FIELD_LIMITS } from '../../../domain/sale/link-field.ts'
import type { LinkClosure, PaymentLink } from '../../../domain/sale/payment-link.ts'
import type { Price } from '../../../domain/sale/price.ts'
import { DECIMAL_PATTERN } from '../../amount.ts'
import { type BuyerView, buyerPage } from '../../components/buyer/buyer-page.ts'
import { sum } from '../../components/buyer/sum.ts'
import { field } from '../../components/form.ts'
import type { FormFields } from '../../forms.ts'
import { type Html, html } from '../../html.ts'
import type { MessageName } from '../../text/catalog.ts'
import type { Text } from '../../text/text.ts'

/** Why a form was refused: a field of it, or the shop cannot sell now. */
export type LinkProblem = { readonly field: string } | 'link_busy' | 'link_unavailable'

export interface LinkView extends BuyerView {
  readonly link: PaymentLink
  readonly closed: LinkClosure | null
  /** UUID, so that a form sent twice makes one invoice. */
  readonly formId: string
  /** As it was sent. */
  readonly form?: FormFields
  readonly problem?: LinkProblem
}

const CLOSED: Readonly<Record<LinkClosure, readonly [title: MessageName, text: MessageName]>> = {
  paused: ['link_paused', 'link_paused_text'],
  ended: ['link_ended', 'link_ended_text'],
  sold_out: ['link_sold_out', 'link_sold_out_text'],
}

/** The page from which a buyer creates an invoice. */
export function paymentLinkPage(view: LinkView): Html {
  const { link, closed } = view
  const { title, description } = link
  return buyerPage(view, {
    title,
    body: html`<h1 class="center"><bdi>${title}</bdi></h1>
      ${description !== null && html`<p class="order"><bdi>${description}</bdi></p>`}
      ${closed === null ? sale(view) : closedNote(view, closed)}`,
  })
}

function closedNote({ text }: LinkView, closed: LinkClosure): Html {
  const [title, sentence] = CLOSED[closed]
  return html`<div class="link-closed" role="status"><h2>${text.say(title)}</h2><p>${text.say(sentence)}</p></div>`
}

function sale(view: LinkView): Html {
  const { link, text, formId, problem } = view
  const { amount, currency } = link
  const fields = link.fields.map((_, index) => asked(view, index))
  return html`
    ${amount !== null && sum(text.money(amount, currency))}
    ${typeof problem === 'string' && html`<p class="error" role="alert">${text.say(problem)}</p>`}
    <form method="post" class="link-form">
      <input type="hidden" name="form" value="${formId}">
      ${fields}
      ${amount === null && chosenAmount(view)}
      <button class="primary full">${text.say('link_pay')}</button>
      <p class="hint center">${text.say(currency === 'ZEC' ? 'link_zcash' : 'link_rate')}</p>
    </form>`
}

function asked({ link, text, form = {}, problem }: LinkView, index: number): Html | false {
  const wanted = link.fields[index]
  if (!wanted) return false
  const { label, required } = wanted
  const name = `field_${index + 1}`
  return field({
    name,
    label: required ? html`<bdi>${label}</bdi>` : text.say('link_optional', { label }),
    value: form[name] ?? '',
    required,
    maxlength: LINK_FIELD_LIMITS.answer,
    ...(isAt(problem, name) && { error: text.say('link_fill_in') }),
  })
}

function isAt(problem: LinkProblem | undefined, field: string): boolean {
  return typeof problem === 'object' && problem.field === field
}

/** Each suggested amount pays at once. The first button of the form is the one that Enter presses: it takes the field. */
function chosenAmount({ link, text, form = {}, problem }: LinkView): Html {
  const { suggestedAmounts, minAmount, currency } = link
  const has = suggestedAmounts.length > 0
  const buttons = suggestedAmounts.map(
    amount => html`<button name="suggested" value="${amount}"><bdi>${text.money(amount, currency)}</bdi></button>`,
  )
  return html`${has && html`<button class="unseen" tabindex="-1" aria-hidden="true"></button><fieldset class="amounts"><legend>${text.say('link_choose')}</legend><div>${buttons}</div></fieldset>`}
    ${field({
      name: 'amount',
      label: text.say(has ? 'link_own_amount' : 'link_amount', { currency }),
      value: form.amount ?? '',
      required: !has,
      maxlength: 25,
      attributes: html` dir="ltr" inputmode="decimal" autocomplete="off" pattern="${DECIMAL_PATTERN}"${isAt(problem, 'amount') && html` aria-invalid="true"`}`,
      ...(isAt(problem, 'amount') && { error: amountError(text, link) }),
      ...(minAmount !== null && { hint: text.say('link_least', { amount: text.money(minAmount, currency) }) }),
    })}`
}

function amountError(text: Text, { minAmount, currency }: PaymentLink): Html {
  if (minAmount !== null) return text.say('link_least', { amount: text.money(minAmount, currency) })
  return text.say('link_amount_wrong', { example: text.money(EXAMPLES[currency] ?? '10', currency) })
}

const EXAMPLES: Readonly<Record<Price['currency'], string>> = { ZEC: '0.05', BTC: '0.0005', SATS: '50000' }
