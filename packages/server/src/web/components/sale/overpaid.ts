import { formatCount } from '../../../domain/count.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { formatZecAmount } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain, say } from '../../text/dashboard.ts'
import { type AttentionItem, newestList } from '../attention.ts'
import { invoiceLink } from './order.ts'

/** Shown on the page of an overpaid invoice. */
export function overpaidNotice({ overpaidZat, status, refundedZat, publicId }: Invoice): Html | false {
  if (overpaidZat <= (refundedZat ?? 0n)) return false
  return html`<section class="card attention" aria-labelledby="overpaid-title"><h2 id="overpaid-title">${say('overpaid')}</h2>
    <p>${say('overpaid_text', { amount: formatZecAmount(overpaidZat) })}${status !== 'paid' && html` ${say('overpaid_wait')}`} ${say('overpaid_refund')}</p>
    ${status === 'paid' && html`<p><a class="button" href="/invoices/${publicId}/refund">${say('refund')}</a></p>`}</section>`
}

/** On the overview: paid invoices of the last 30 days. @param total counted up to `MAX_COUNT` and one */
export function overpaidInvoices(listed: readonly Invoice[], total: number): AttentionItem {
  const items = listed.map(
    invoice =>
      html`<li>${invoiceLink(invoice)} · ${say('overpaid_amount', { amount: formatZecAmount(invoice.overpaidZat) })} · <a href="/invoices/${invoice.publicId}/refund">${say('refund')}</a></li>`,
  )
  return {
    what: plain('overpaid_many', { count: formatCount(total) }),
    advice: plain('overpaid_advice'),
    link: { href: '/invoices?status=overpaid', label: plain('overpaid_view') },
    newest: newestList(items, total, '/invoices?status=overpaid'),
  }
}
