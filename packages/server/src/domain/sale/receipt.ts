import type { Invoice } from './invoice.ts'
import type { Payment } from './payment.ts'

/** The most transactions on a receipt, which are the newest. */
export const MAX_RECEIPT_TRANSACTIONS = 10

/** The payments of an invoice as a receipt lists them. */
export interface ReceiptPayments {
  /** The ids of their transactions, newest first: at most `MAX_RECEIPT_TRANSACTIONS`. */
  readonly txids: readonly string[]
  readonly hasMore: boolean
}

/** Whether an invoice has a receipt: it is paid, and its payments are in the chain. */
export function hasReceipt({ status, needsAttention }: Pick<Invoice, 'status' | 'needsAttention'>): boolean {
  return status === 'paid' && !needsAttention
}

/** @param newest payments, newest first: one more than a receipt lists tells that there are more */
export function receiptPayments(newest: readonly Pick<Payment, 'txid' | 'location'>[]): ReceiptPayments {
  const counted = newest.filter(({ location }) => location.at !== 'dropped')
  const txids = new Set(counted.slice(0, MAX_RECEIPT_TRANSACTIONS).map(({ txid }) => txid))
  return { txids: [...txids], hasMore: counted.length > MAX_RECEIPT_TRANSACTIONS }
}
