import type * as Wire from '@zatgate/sdk/wire'
import { paymentUri } from '../../domain/payment-uri.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import type { Swap } from '../../ports/repository/swap.ts'
import { presentSwap } from './swap.ts'

/** The response of creating an invoice. */
export function presentCreatedInvoice(invoice: Invoice): Wire.CreatedInvoice {
  return {
    id: invoice.publicId,
    address: invoice.address,
    amount_zat: Number(invoice.amountZat),
    zip321_uri: paymentUri(invoice.address, invoice.amountZat, invoice.publicId),
    status: invoice.status,
    expires_at: invoice.expiresAt,
  }
}

/** The response of reading an invoice. @param swap the current swap of the invoice */
export function presentInvoice(invoice: Invoice, swap: Swap | null): Wire.Invoice {
  return {
    ...presentCreatedInvoice(invoice),
    txid: invoice.txid,
    received_zat: Number(invoice.receivedZat),
    overpaid_zat: Number(invoice.overpaidZat),
    swap: swap && presentSwap(swap),
  }
}
