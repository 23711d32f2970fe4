import type { Invoice } from '../../../domain/sale/invoice.ts'
import { shorten } from '../../format.ts'
import { type Html, html } from '../../html.ts'

type Order = Pick<Invoice, 'orderId' | 'description'>

/** `Order 1001 · T-shirt`; false without both. */
export function orderLine({ orderId, description }: Order): Html | false {
  const line = [orderId && `Order ${orderId}`, description].filter(Boolean).join(' · ')
  return line !== '' && html`<p class="below center order">${line}</p>`
}

/** The heading of an invoice: its order, or the beginning of its id. */
export function invoiceTitle({ orderId, publicId }: Pick<Invoice, 'orderId' | 'publicId'>): string {
  return orderId === null ? `Invoice ${shorten(publicId, 8, 0)}` : `Order ${orderId}`
}
