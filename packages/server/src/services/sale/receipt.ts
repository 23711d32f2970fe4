import type { Invoice } from '../../domain/sale/invoice.ts'
import { MAX_RECEIPT_TRANSACTIONS, type ReceiptPayments, receiptPayments } from '../../domain/sale/receipt.ts'
import type { Store } from '../../ports/store.ts'

export interface Receipts {
  paymentsOf(invoice: Pick<Invoice, 'id'>): Promise<ReceiptPayments>
}

export function createReceipts({ store }: { readonly store: Store }): Receipts {
  return {
    async paymentsOf({ id }) {
      return receiptPayments(await store.read(tx => tx.payments.newest(id, MAX_RECEIPT_TRANSACTIONS + 1)))
    },
  }
}
