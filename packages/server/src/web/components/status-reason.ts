import type { InvoiceReason } from '../../domain/sale/invoice-state.ts'
import { plain } from '../text/dashboard.ts'

/** Why an invoice has its status, for its merchant. */
export const STATUS_REASONS: Readonly<Record<InvoiceReason, string>> = {
  before_expiry: plain('reason_before_expiry'),
  swap_keeps_open: plain('reason_swap'),
  dropped_payment_keeps_open: plain('reason_dropped'),
  unconfirmed: plain('reason_unconfirmed'),
  late_unconfirmed: plain('reason_late'),
  canceled: plain('reason_canceled'),
  expired: plain('reason_expired'),
  confirmed: plain('reason_confirmed'),
  within_tolerance: plain('reason_tolerance'),
  payments_removed: plain('reason_removed'),
}
