import type { BuyerView } from '../buyer/buyer-page.ts'
import { priceIn } from '../buyer/sum.ts'
import { type ReceiptView, receiptFacts, receiptNumber } from './receipt-facts.ts'
import { invoiceAmount } from './total.ts'

/** The mail with a receipt. @param link to the page of the receipt, absolute */
export function receiptMail(
  view: ReceiptView & Pick<BuyerView, 'shop' | 'isTest'>,
  link: string,
): { readonly subject: string; readonly text: string } {
  const { text, invoice, shop, isTest } = view
  const { orderId, description } = invoice
  const title = text.plain('receipt_of', { number: receiptNumber(invoice) })
  const zec = text.zec(invoiceAmount(invoice) ?? invoice.receivedZat)
  const price = priceIn(text, invoice)
  const order = [orderId === null ? null : text.plain('order', { order: orderId }), description]
  const lines = [
    { label: 'receipt_amount', value: price === null ? zec : `${price} (${zec})` } as const,
    ...receiptFacts(view),
  ].map(({ label, value }) => text.plain('mail_line', { label: text.plain(label), value }))
  const blocks = [
    isTest ? text.plain('test_bar') : '',
    shop.name ?? '',
    order.filter(part => part !== null).join(' · '),
    lines.join('\n'),
    text.plain('mail_page', { link }),
    text.plain('mail_why'),
  ]
  return {
    subject: shop.name === null ? title : `${title} – ${shop.name}`,
    text: blocks.filter(block => block !== '').join('\n\n'),
  }
}
