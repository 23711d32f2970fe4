import type { Invoice } from '../../../domain/sale/invoice.ts'
import type { ReceiptPayments } from '../../../domain/sale/receipt.ts'
import { exactTimeElement } from '../../format.ts'
import { type Child, html } from '../../html.ts'
import type { MessageName } from '../../text/catalog.ts'
import type { Text } from '../../text/text.ts'
import { copyIn } from '../buyer/copy.ts'
import { invoiceAmount } from './total.ts'

interface Fact {
  readonly label: Extract<MessageName, `receipt_${string}`>
  readonly value: string
  /** On the page. Default: the value. */
  readonly shown?: Child
}

export interface ReceiptView {
  readonly text: Text
  readonly invoice: Invoice
  readonly payments: ReceiptPayments
}

/** The lines of a receipt below its amount, on the page and in the mail. */
export function receiptFacts({ text, invoice, payments }: ReceiptView): Fact[] {
  const { paidAt, rate, receivedZat, overpaidZat, refundedZat, publicId } = invoice
  const zec = (label: Fact['label'], zat: bigint): Fact => ({ label, value: text.zec(zat) })
  const copyable = (label: Fact['label'], value: string, name: 'copy_number' | 'copy_txid'): Fact => {
    return { label, value, shown: html`<code dir="ltr">${value}</code> ${copyIn(text, value, name)}` }
  }
  const facts: (Fact | false)[] = [
    paidAt !== null && { label: 'receipt_paid', value: text.time(paidAt), shown: exactTimeElement(paidAt) },
    rate !== null && { label: 'receipt_rate', value: `1 ZEC = ${text.money(rate.price, rate.currency)}` },
    receivedZat !== invoiceAmount(invoice) && zec('receipt_received', receivedZat),
    overpaidZat > 0n && zec('receipt_overpaid', overpaidZat),
    refundedZat !== null && zec('receipt_refunded', refundedZat),
    copyable('receipt_invoice', publicId.slice(0, 8), 'copy_number'),
    ...payments.txids.map(txid => copyable('receipt_transaction', txid, 'copy_txid')),
  ]
  return facts.filter(fact => fact !== false)
}

/** The order that a receipt is for, or its invoice. */
export function receiptNumber({ orderId, publicId }: Pick<Invoice, 'orderId' | 'publicId'>): string {
  return orderId ?? publicId.slice(0, 8)
}
