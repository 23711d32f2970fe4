import { formatCount } from '../../../domain/count.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { formatZecAmount, timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { type AttentionItem, newestList } from '../attention.ts'
import { invoiceLink } from './order.ts'

/** Shown on the page of an invoice that money reached after it had closed. */
export function lateNotice(invoice: Invoice): Html | false {
  const { lateAt, status, receivedZat, dueZat, canceledAt, refundedZat, publicId } = invoice
  if (lateAt === null || receivedZat <= (refundedZat ?? 0n)) return false
  const closed = canceledAt === null ? 'expired' : 'been canceled'
  const advice =
    dueZat > 0n && status !== 'paid'
      ? 'The full amount has not arrived. If the buyer does not pay the rest, send back what arrived.'
      : 'It counts. Deliver the order, or agree with the buyer to send the money back.'
  return html`<section class="card attention" aria-labelledby="late-title"><h2 id="late-title">Late payment</h2>
    <p>A payment arrived at ${timeElement(lateAt)}, after the invoice had ${closed}. ${advice}</p>
    <p><a class="button" href="/invoices/${publicId}/refund">Refund</a></p></section>`
}

/** On the overview: late payments of the last 30 days. @param total counted up to `MAX_COUNT` and one */
export function lateInvoices(listed: readonly Invoice[], total: number): AttentionItem {
  const items = listed.map(
    invoice =>
      html`<li>${invoiceLink(invoice)} · ${formatZecAmount(invoice.receivedZat)}, ${invoice.status} · <a href="/invoices/${invoice.publicId}/refund">Refund</a></li>`,
  )
  return {
    what: `${formatCount(total)} ${total === 1 ? 'invoice' : 'invoices'} received money late`,
    advice: 'after closing, in the last 30 days. It counts: deliver the order, or send the money back.',
    link: { href: '/invoices?status=late', label: 'View late' },
    newest: newestList(items, total, '/invoices?status=late'),
  }
}
