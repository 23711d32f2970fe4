import { formatCount } from '../../../domain/count.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { formatZecAmount, timeElement } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { type AttentionItem, newestList } from '../attention.ts'
import { invoiceLink } from './order.ts'

/** Shown on the page of an invoice that money reached after it had closed. */
export function lateNotice(invoice: Invoice): Html | false {
  const { lateAt, status, receivedZat, dueZat, canceledAt, refundedZat, publicId } = invoice
  if (lateAt === null || receivedZat <= (refundedZat ?? 0n)) return false
  const advice = dueZat > 0n && status !== 'paid' ? say('late_part') : say('late_counts')
  return html`<section class="card attention" aria-labelledby="late-title"><h2 id="late-title">${say('late')}</h2>
    <p>${say(canceledAt === null ? 'late_after_expiry' : 'late_after_cancellation', { time: timeElement(lateAt) })} ${advice}</p>
    <p><a class="button" href="/invoices/${publicId}/refund">${say('refund')}</a></p></section>`
}

/** On the overview: late payments of the last 30 days. @param total counted up to `MAX_COUNT` and one */
export function lateInvoices(listed: readonly Invoice[], total: number): AttentionItem {
  const items = listed.map(
    invoice =>
      html`<li>${invoiceLink(invoice)} · ${formatZecAmount(invoice.receivedZat)}, ${invoice.status} · <a href="/invoices/${invoice.publicId}/refund">${say('refund')}</a></li>`,
  )
  return {
    what: plain('late_many', { count: formatCount(total) }),
    advice: plain('late_advice'),
    link: { href: '/invoices?status=late', label: plain('late_view') },
    newest: newestList(items, total, '/invoices?status=late'),
  }
}
