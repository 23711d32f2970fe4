import {
  MAX_REFUND_ADDRESS_CHARS,
  mayGiveAddress,
  type Refund,
  type RefundWithInvoice,
} from '../../../domain/sale/refund.ts'
import { type BuyerView, buyerPage } from '../../components/buyer/buyer-page.ts'
import { copyIn } from '../../components/buyer/copy.ts'
import { orderOf, priceIn, sum } from '../../components/buyer/sum.ts'
import { field } from '../../components/form.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { MessageName } from '../../text/catalog.ts'
import type { Text } from '../../text/text.ts'

interface RefundLinkView extends RefundWithInvoice, BuyerView {
  /** How an address of the network begins. */
  readonly prefix: string
  /** The buyer's input, if it was refused. */
  readonly entered?: string
}

/** The page where a buyer says where a refund is sent. */
export function refundLinkPage(view: RefundLinkView): Html {
  const { refund, invoice, text } = view
  const price = priceIn(text, refund)
  const zec = text.zec(refund.amountZat)
  const title = text.plain(TITLES[refund.status])
  return buyerPage(view, {
    title,
    invoiceId: invoice.publicId,
    body: html`${orderOf(text, invoice)}
      ${price === null ? sum(zec) : sum(price, zec)}
      <h1>${title}</h1>
      ${body(view)}`,
  })
}

const TITLES: Readonly<Record<Refund['status'], MessageName>> = {
  awaiting_address: 'refund_yours',
  ready: 'refund_on_its_way',
  sent: 'refund_sent',
  canceled: 'refund_canceled',
}

function body(view: RefundLinkView): Child {
  const { refund, text } = view
  const { status, address, addressFromBuyer, txid } = refund
  const given = addressFromBuyer && address !== null && copyableAddress(text, address)
  switch (status) {
    case 'awaiting_address':
      return html`<p>${text.say('refund_ask')}</p>${form(view)}`
    case 'ready':
      if (mayGiveAddress(refund)) return html`<p>${text.say('refund_may_change')}</p>${given}${form(view)}`
      return html`<p>${text.say(given ? 'refund_fixed' : 'refund_from_wallet')}</p>${given}`
    case 'sent':
      return html`<p>${text.say('refund_sent_text')}</p>${given}${txid !== null && html`<p class="hint">${text.say('refund_transaction')}</p><p class="copyable"><code dir="ltr">${txid}</code> ${copyIn(text, txid, 'copy_txid')}</p>`}`
    case 'canceled':
      return html`<p>${text.say('refund_canceled_text')}</p>`
  }
}

function copyableAddress(text: Text, address: string): Html {
  return html`<p class="copyable"><code dir="ltr">${address}</code> ${copyIn(text, address, 'copy_address')}</p>`
}

function form({ refund, text, prefix, entered }: RefundLinkView): Html {
  return html`<form method="post">
    ${field({
      name: 'address',
      label: text.say('refund_address'),
      value: entered ?? refund.address ?? '',
      maxlength: MAX_REFUND_ADDRESS_CHARS,
      attributes: html` dir="ltr" autocomplete="off" spellcheck="false" autocapitalize="none"${entered !== undefined && html` aria-invalid="true"`}`,
      hint: text.say('refund_address_hint', { prefix: html`<code>${prefix}</code>` }),
      ...(entered !== undefined && {
        error: text.say('refund_address_wrong', { prefix: html`<code>${prefix}</code>` }),
      }),
    })}
    <button class="primary full">${text.say(refund.address === null ? 'refund_send_here' : 'refund_change')}</button>
  </form>`
}
