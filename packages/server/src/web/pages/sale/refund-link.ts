import {
  MAX_REFUND_ADDRESS_CHARS,
  mayGiveAddress,
  type Refund,
  type RefundWithInvoice,
} from '../../../domain/sale/refund.ts'
import { copyable } from '../../components/copyable.ts'
import { field } from '../../components/form.ts'
import { plainPage } from '../../components/layout.ts'
import { formatPrice } from '../../components/sale/fiat.ts'
import { orderLine } from '../../components/sale/order.ts'
import { bigAmount, formatZecAmount } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'

interface RefundLinkView extends RefundWithInvoice {
  /** The money is not real: the network is not the main one. */
  readonly isTest: boolean
  /** How an address of the network begins. */
  readonly prefix: string
  /** What the buyer has entered, if it was refused. */
  readonly entered?: string
  readonly error?: string
}

/** The page where a buyer says where a refund is sent. */
export function refundLinkPage(view: RefundLinkView): Html {
  const { refund, invoice, isTest } = view
  const { amountZat } = refund
  const price = formatPrice(refund)
  const title = titleOf(refund)
  const mark = isTest && html`<p class="narrow test-mark"><span class="tag">TEST</span> This is no real money.</p>`
  return plainPage({
    title,
    banner: mark,
    body: html`<div class="card narrow checkout">
      ${orderLine(invoice)}
      <h1>${title}</h1>
      ${bigAmount(price ?? formatZecAmount(amountZat))}
      ${price !== null && html`<p class="below center">${formatZecAmount(amountZat)}</p>`}
      ${body(view)}
    </div>`,
  })
}

function titleOf(refund: Refund): string {
  if (refund.status === 'sent') return 'Refund sent'
  if (refund.status === 'canceled') return 'Refund canceled'
  return refund.status === 'ready' ? 'Your refund is on its way' : 'Your refund'
}

function body(view: RefundLinkView): Child {
  const { refund } = view
  const { status, address, addressFromBuyer, txid } = refund
  const given = addressFromBuyer && address !== null && html`<p>${copyable(address, 'the address')}</p>`
  switch (status) {
    case 'awaiting_address':
      return html`<p>The shop sends this amount back to you. Where should it go?</p>${form(view)}`
    case 'ready':
      if (mayGiveAddress(refund))
        return html`<p>The shop sends it to this address. You can still change it:</p>${given}${form(view)}`
      return html`<p>The shop sends it from its wallet. ${given ? 'It has seen this address, which can no longer be changed:' : ''}</p>${given}`
    case 'sent':
      return html`<p>The shop has sent it. It arrives in your wallet within minutes, and counts once the network confirms it.</p>
        ${given}${txid !== null && html`<p class="hint">Transaction</p><p>${copyable(txid, 'the transaction ID')}</p>`}`
    case 'canceled':
      return html`<p>The shop does not send this refund. If you expect one, please ask the shop.</p>`
  }
}

function form({ refund, prefix, entered, error }: RefundLinkView): Html {
  return html`<form method="post" action="/r/${refund.linkId}">
    ${error !== undefined && html`<p class="error" role="alert">${error}</p>`}
    ${field({
      name: 'address',
      label: 'Address of your Zcash wallet',
      value: entered ?? refund.address ?? '',
      maxlength: MAX_REFUND_ADDRESS_CHARS,
      attributes: html` autocomplete="off" spellcheck="false" autocapitalize="none"`,
      hint: `A shielded address. It begins with ${prefix}. Copy it from your wallet: a payment to a wrong address is lost.`,
    })}
    <button class="primary full">${refund.address === null ? 'Send it here' : 'Change the address'}</button>
  </form>`
}
