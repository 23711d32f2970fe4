import type { Invoice } from '../../../domain/sale/invoice.ts'
import { amountClass, formatZat, formatZecAmount, listTime, shorten } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { rowLink } from '../list.ts'
import { statusBadges } from '../status-badge.ts'
import { formatPrice } from './fiat.ts'
import { invoiceAmount } from './total.ts'

/** The most that the table shows of an order or a description. The page of the invoice has all. */
const MAX_CHARS = 40

/** A table of invoices with links to them. */
export function invoiceTable(invoices: readonly Invoice[]): Html {
  const rows = invoices.map(
    invoice => html`<tr id="invoice-${invoice.publicId}">
      <td>${nameOf(invoice)}<span class="slim">${statusBadges(invoice)}</span></td>
      <td class="wide">${statusBadges(invoice)}</td>
      <td class="number">${amount(invoice)}</td>
      <td class="number wide">${received(invoice)}</td>
    </tr>`,
  )
  return html`<table class="list rows">
    <thead><tr><th scope="col">${say('invoice')}</th><th scope="col" class="wide">${say('status')}</th><th scope="col" class="number">${say('amount')}</th><th scope="col" class="number wide">${say('received')}</th></tr></thead>
    <tbody>${rows}</tbody>
  </table>`
}

/** A list is read by its orders: an invoice without one has its id in their place. */
function nameOf({ publicId, orderId, description, createdAt }: Invoice): Html {
  const id = shorten(publicId, 8, 0)
  const link = (text: string, kind: string, name: string) => rowLink(`/invoices/${publicId}`, text, name, kind)
  const order = orderId === null ? null : shorten(orderId, MAX_CHARS, 0)
  const named =
    order === null
      ? link(id, 'code', plain('invoice_name', { id: publicId }))
      : link(order, 'order', plain('order_and_invoice_name', { order, id: publicId }))
  return html`${named}${description !== null && html`<span class="order">${shorten(description, MAX_CHARS, 0)}</span>`}<span class="below">${orderId !== null && html`<span class="code">${id}</span> · `}${listTime(createdAt)}</span>`
}

function amount(invoice: Invoice): Html {
  const zat = invoiceAmount(invoice)
  if (zat === null) return html`<span class="none">${say('amount_open')}</span>`
  const price = formatPrice(invoice)
  const [first, below] = price === null ? [formatZecAmount(zat), formatZat(zat)] : [price, formatZecAmount(zat)]
  return html`<span class="${amountClass(first)}">${first}</span><span class="below amount">${below}</span>`
}

function received({ receivedZat, overpaidZat }: Invoice): Html {
  if (receivedZat === 0n) return html`<span class="none">${say('received_nothing')}</span>`
  const surplus =
    overpaidZat > 0n && html`<span class="below">${say('overpaid_by', { amount: formatZecAmount(overpaidZat) })}</span>`
  return html`<span class="amount">${formatZecAmount(receivedZat)}</span>${surplus || html`<span class="below amount">${formatZat(receivedZat)}</span>`}`
}
