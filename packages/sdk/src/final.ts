import type { InvoiceMessage } from './wire.ts'

/** Whether the state is the last one that followInvoice yields. */
export function isFinal({ status }: InvoiceMessage): boolean {
  return status === 'paid' || status === 'underpaid' || status === 'expired'
}
