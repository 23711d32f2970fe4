import type { RefundWithInvoice } from '../../../domain/sale/refund.ts'
import { formatZat, formatZecAmount, listTime, shorten } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { rowLink } from '../list.ts'
import { formatPrice } from './fiat.ts'
import { invoiceTitle } from './order.ts'
import { refundBadge } from './refund-badge.ts'

/** The name of the field that selects a refund. */
export const SELECT_PREFIX = 'refund-'

/** A table of refunds. @param selectable those that are ready have a box, for a form around the table */
export function refundTable(refunds: readonly RefundWithInvoice[], selectable: boolean): Html {
  const rows = refunds.map(({ refund, invoice }) => {
    const { publicId, status, amountZat, createdAt } = refund
    const price = formatPrice(refund)
    const id = shorten(publicId, 8, 0)
    const box =
      selectable &&
      status === 'ready' &&
      html`<label class="pick"><input type="checkbox" name="${SELECT_PREFIX}${publicId}" value="1" aria-label="${plain('refund_pay_name', { id })}"></label> `
    return html`<tr id="refund-${publicId}">
      <td>${box}${rowLink(`/refunds/${publicId}`, id, plain('refund_name', { id: publicId }), 'code')}<span class="below"><a href="/invoices/${invoice.publicId}">${invoiceTitle(invoice)}</a> · ${listTime(createdAt)}</span><span class="slim">${refundBadge(status)}</span></td>
      <td class="wide">${refundBadge(status)}</td>
      <td class="number"><span class="amount">${price ?? formatZecAmount(amountZat)}</span><span class="below amount">${price === null ? formatZat(amountZat) : formatZecAmount(amountZat)}</span></td>
    </tr>`
  })
  return html`<table class="list rows"><thead><tr><th scope="col">${say('refund')}</th><th scope="col" class="wide">${say('status')}</th><th scope="col" class="number">${say('amount')}</th></tr></thead><tbody>${rows}</tbody></table>`
}
