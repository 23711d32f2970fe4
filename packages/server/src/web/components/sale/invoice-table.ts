import type { Invoice } from '../../../domain/sale/invoice.ts'
import { formatZat, formatZecAmount, shorten, timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { statusBadges } from '../status-badge.ts'

/** A table of invoices with links to them. */
export function invoiceTable(invoices: readonly Invoice[]): Html {
  const rows = invoices.map(
    invoice => html`<tr>
      <td><a href="/invoices/${invoice.publicId}" class="code" aria-label="Invoice ${invoice.publicId}">${shorten(invoice.publicId, 8, 0)}</a>${orderOf(invoice)}<span class="below">${timeElement(invoice.createdAt)}</span><span class="slim">${statusBadges(invoice)}</span></td>
      <td class="wide">${statusBadges(invoice)}</td>
      <td class="number">${formatZecAmount(invoice.amountZat)}<span class="below">${formatZat(invoice.amountZat)}</span></td>
      <td class="number wide">${received(invoice)}</td>
    </tr>`,
  )
  return html`<table class="list">
    <thead><tr><th scope="col">Invoice</th><th scope="col" class="wide">Status</th><th scope="col" class="number">Amount</th><th scope="col" class="number wide">Received</th></tr></thead>
    <tbody>${rows}</tbody>
  </table>`
}

function orderOf({ orderId, description }: Invoice): Html | false {
  if (orderId === null && description === null) return false
  return html`<span class="order">${orderId ?? description}</span>`
}

function received({ receivedZat, overpaidZat }: Invoice): Html {
  if (receivedZat === 0n) return html`<span class="none">nothing yet</span>`
  const surplus = overpaidZat > 0n && html`<span class="below">overpaid by ${formatZecAmount(overpaidZat)}</span>`
  return html`${formatZecAmount(receivedZat)}${surplus || html`<span class="below">${formatZat(receivedZat)}</span>`}`
}
