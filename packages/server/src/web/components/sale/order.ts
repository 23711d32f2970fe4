import type { Invoice } from '../../../domain/sale/invoice.ts'
import { shorten } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain } from '../../text/dashboard.ts'

/** The heading of an invoice: its order, or the beginning of its id. */
export function invoiceTitle({ orderId, publicId }: Pick<Invoice, 'orderId' | 'publicId'>): string {
  return orderId === null
    ? plain('invoice_name', { id: shorten(publicId, 8, 0) })
    : plain('order_name', { order: orderId })
}

/** A link to the page of an invoice in a list of few: its order, or the beginning of its id. */
export function invoiceLink({ orderId, publicId }: Pick<Invoice, 'orderId' | 'publicId'>): Html {
  const href = `/invoices/${publicId}`
  return orderId === null
    ? html`<a class="code" href="${href}">${shorten(publicId, 8, 0)}</a>`
    : html`<a href="${href}">${shorten(orderId, 20, 0)}</a>`
}
