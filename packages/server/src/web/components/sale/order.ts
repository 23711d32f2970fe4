import type { Invoice } from '../../../domain/sale/invoice.ts'
import { shorten } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { plain } from '../../text/dashboard.ts'

type Order = Pick<Invoice, 'orderId' | 'description'>

/** `Order 1001 · T-shirt`; false without both. */
export function orderLine({ orderId, description }: Order): Html | false {
  const line = [orderId && plain('order_name', { order: orderId }), description].filter(Boolean).join(' · ')
  return line !== '' && html`<p class="below center order">${line}</p>`
}

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
