import type { CreateInvoiceRequest, CreateRefundRequest, Price } from './wire.ts'

/** A request with its price as a decimal string only: a number of JavaScript is a float. */
type Decimal<T> = Omit<T, 'price'> & { price?: Price }

/** A sale: `amount_zat`, `price` or `open_amount`, and what is known of it. */
export type InvoiceRequest = Decimal<CreateInvoiceRequest>

/** A refund of `amount_zat`, of a `price`, or of all that is left. */
export type RefundRequest = Decimal<CreateRefundRequest>
