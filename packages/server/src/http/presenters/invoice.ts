import type * as Wire from '@zatgate/sdk/wire'
import { paymentUri } from '../../domain/payment-uri.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'

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
