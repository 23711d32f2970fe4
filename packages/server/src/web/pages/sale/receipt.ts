import { MAX_EMAIL_CHARS } from '../../../domain/account/account.ts'
import { type BuyerView, buyerPage } from '../../components/buyer/buyer-page.ts'
import { orderOf, sumOf } from '../../components/buyer/sum.ts'
import { EMAIL_ATTRIBUTES, field } from '../../components/form.ts'
import type { CheckoutLinks } from '../../components/sale/checkout-links.ts'
import { type ReceiptView, receiptFacts, receiptNumber } from '../../components/sale/receipt-facts.ts'
import { wayBack } from '../../components/sale/way-back.ts'
import { type Child, type Html, html } from '../../html.ts'

interface ReceiptPageView extends BuyerView, ReceiptView {
  readonly links: CheckoutLinks
  /** Whether a mail can be asked for. */
  readonly isMailed: boolean
  /** The result of the last request for a mail. */
  readonly notice?: Child
  /** The buyer's input, if it is no address. */
  readonly entered?: string
}

/** The receipt of a paid invoice. Printed, it is the card alone. */
export function receiptPage(view: ReceiptPageView): Html {
  const { text, invoice, links, payments } = view
  const rows = receiptFacts(view).map(
    ({ label, value, shown = html`<bdi>${value}</bdi>` }) =>
      html`<div><dt>${text.say(label)}</dt><dd>${shown}</dd></div>`,
  )
  return buyerPage(view, {
    title: text.plain('receipt_of', { number: receiptNumber(invoice) }),
    body: html`<div class="receipt">
      <h1>${text.say('receipt')}</h1>
      ${orderOf(text, invoice)}
      ${sumOf(text, invoice)}
      <dl class="facts stacked">${rows}</dl>
      ${payments.hasMore && html`<p class="hint">${text.say('receipt_newest')}</p>`}
      <div class="receipt-ways">
        <button type="button" class="primary full" data-print hidden>${text.say('receipt_print')}</button>
        <p class="hint">${text.say('receipt_print_by_hand')}</p>
        ${view.notice}
        ${view.isMailed && mailForm(view)}
        ${wayBack(view, invoice, links, 'paid', true)}
      </div></div>`,
  })
}

function mailForm({ text, links, entered }: ReceiptPageView): Html {
  const isWrong = entered !== undefined
  return html`<form method="post" action="${links.receiptMail}">
    ${field({
      name: 'email',
      label: text.say('receipt_address'),
      value: entered ?? '',
      maxlength: MAX_EMAIL_CHARS,
      attributes: html` dir="ltr"${EMAIL_ATTRIBUTES}${isWrong && html` aria-invalid="true"`}`,
      hint: text.say('receipt_address_hint'),
      ...(isWrong && { error: text.say('receipt_address_wrong', { example: html`<code>name@example.com</code>` }) }),
    })}
    <button class="full">${text.say('receipt_mail')}</button>
  </form>`
}
