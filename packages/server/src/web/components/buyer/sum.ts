import { formatZec } from '../../../domain/money.ts'
import type { Invoice } from '../../../domain/sale/invoice.ts'
import { currencyCode } from '../../../domain/sale/price.ts'
import { amountClass } from '../../format.ts'
import { type Child, type Html, html } from '../../html.ts'
import type { Text } from '../../text/text.ts'
import { invoiceAmount } from '../sale/total.ts'

/** The price of an invoice in money. Null without one, and for one in ZEC, which the amount shows. */
export function priceIn(text: Text, { price }: Pick<Invoice, 'price'>): string | null {
  if (!price || currencyCode(price) === 'ZEC') return null
  return text.money(price.amount, currencyCode(price))
}

/** The amount of an invoice: its price in money with the ZEC beside it, or the ZEC. False while an open amount is not chosen. */
export function sumOf(text: Text, invoice: Invoice): Html | false {
  const zat = invoiceAmount(invoice)
  if (zat === null) return false
  const price = priceIn(text, invoice)
  return price === null ? sum(text.zec(zat)) : sum(price, html`<bdi>${text.zec(zat)}</bdi>`)
}

/** The amount left to pay, in ZEC: the price was converted once. */
export function restOf(text: Text, invoice: Invoice): Html {
  const price = priceIn(text, invoice)
  return sum(text.zec(invoice.dueZat), price !== null && text.say('rest_of', { price }))
}

/** An amount as the largest text of its card. @param beside smaller, after it */
export function sum(large: string, beside: Child = false): Html {
  return html`<p class="sum"><bdi class="big ${amountClass(large)}">${large}</bdi>${beside && html` <span class="beside">${beside}</span>`}</p>`
}

/** `Order 1001 · T-shirt`; false without both. */
export function orderOf(text: Text, { orderId, description }: Pick<Invoice, 'orderId' | 'description'>): Html | false {
  const order = orderId === null ? false : text.say('order', { order: orderId })
  if (!order && description === null) return false
  return html`<p class="order">${order}${order && description !== null && ' · '}${description !== null && html`<bdi>${description}</bdi>`}</p>`
}

/** The amount as wallets take it, which is the same in every language: `0.025 ZEC`. */
export function plainZec(zat: bigint): string {
  return `${formatZec(zat)} ZEC`
}
