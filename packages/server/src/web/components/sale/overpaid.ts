import { formatCount } from '../../../domain/count.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { formatZecAmount } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { type AttentionItem, newestList } from '../attention.ts'
import { invoiceLink } from './order.ts'

/** Shown on the page of an overpaid invoice. */
export function overpaidNotice({ overpaidZat, status, refundedZat, publicId }: Invoice): Html | false {
  if (overpaidZat <= (refundedZat ?? 0n)) return false
  const wait = status !== 'paid' && ' Wait until the invoice is paid and the payments below are confirmed.'
  return html`<section class="card attention" aria-labelledby="overpaid-title"><h2 id="overpaid-title">Overpaid</h2>
    <p>The buyer has paid ${formatZecAmount(overpaidZat)} too much, which you owe.${wait} zatgate cannot spend: a refund asks the buyer for an address, and your wallet pays it.</p>
    ${status === 'paid' && html`<p><a class="button" href="/invoices/${publicId}/refund">Refund</a></p>`}</section>`
}

/** On the overview: paid invoices of the last 30 days. @param total counted up to `MAX_COUNT` and one */
export function overpaidInvoices(listed: readonly Invoice[], total: number): AttentionItem {
  const items = listed.map(
    invoice =>
      html`<li>${invoiceLink(invoice)} · ${formatZecAmount(invoice.overpaidZat)} too much · <a href="/invoices/${invoice.publicId}/refund">Refund</a></li>`,
  )
  return {
    what: `${formatCount(total)} ${total === 1 ? 'paid invoice was' : 'paid invoices were'} overpaid`,
    advice: 'in the last 30 days. You owe the buyers what is too much.',
    link: { href: '/invoices?status=overpaid', label: 'View overpaid' },
    newest: newestList(items, total, '/invoices?status=overpaid'),
  }
}
