import type * as Wire from '@zatgate/sdk/wire'
import { paymentUri } from '../../domain/payment-uri.ts'
import type { WithdrawalWithInvoice } from '../../services/withdrawal.ts'

export function presentWithdrawal({ withdrawal, invoice, maskedPayoutTo }: WithdrawalWithInvoice): Wire.Withdrawal {
  return {
    id: withdrawal.publicId,
    status: withdrawal.status,
    amount_zat: Number(withdrawal.amountZat),
    fiat_currency: withdrawal.fiatCurrency,
    fiat_amount: withdrawal.fiatAmount,
    rate: withdrawal.rate,
    payout_to: maskedPayoutTo,
    deposit_address: invoice.address,
    zip321_uri: paymentUri(invoice.address, withdrawal.amountZat, withdrawal.publicId),
    expires_at: invoice.expiresAt,
    received_zat: Number(invoice.receivedZat),
    txid: invoice.txid,
    reference: withdrawal.reference,
    reason: withdrawal.reason,
    created_at: withdrawal.createdAt,
    updated_at: withdrawal.updatedAt,
  }
}
