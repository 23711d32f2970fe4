import type { InvoiceReason } from '../../domain/sale/invoice-state.ts'

/** Why an invoice has its status, for its merchant. */
export const STATUS_REASONS: Readonly<Record<InvoiceReason, string>> = {
  before_expiry:
    'The full amount has not arrived yet. Without it, the invoice expires once the network is read up to the expiry time.',
  swap_keeps_open: 'The expiry time has passed. A swap keeps the invoice open, because its deposit may still pay it.',
  dropped_payment_keeps_open:
    'The expiry time has passed. A payment that left the mempool keeps the invoice open, because it can still be mined.',
  unconfirmed:
    'The full amount has arrived. The invoice is paid once the network confirms it, also after its expiry time.',
  late_unconfirmed:
    'The full amount has arrived after the invoice closed. It counts: the invoice is paid once the network confirms it.',
  canceled: 'You canceled the invoice. Its address stays watched: a payment that was on its way still counts.',
  expired: 'The expiry time has passed, and the full amount has not arrived.',
  confirmed: 'The full amount has been confirmed.',
  within_tolerance: 'The payment has been confirmed. A part of the amount is missing, within the tolerance.',
  payments_removed:
    'The full amount had been confirmed. Payments were removed since, and less than the amount is left.',
}
