import type { Invoice } from '../../domain/sale/invoice.ts'
import { MAX_RECEIPT_TRANSACTIONS, type ReceiptPayments, receiptPayments } from '../../domain/sale/receipt.ts'
import type { Store } from '../../ports/store.ts'
import { requireSame } from './found-invoice.ts'

export interface Receipts {
  /** @throws AppError `no_such_invoice` when another invoice has its row since */
  paymentsOf(invoice: Pick<Invoice, 'id' | 'publicId'>): Promise<ReceiptPayments>
}

export function createReceipts({ store }: { readonly store: Store }): Receipts {
  return {
    paymentsOf: found =>
      store.read(async tx => {
        const [row] = await tx.invoices.byIds([found.id])
        const { id } = requireSame(row, found)
        return receiptPayments(await tx.payments.newest(id, MAX_RECEIPT_TRANSACTIONS + 1))
      }),
  }
}
