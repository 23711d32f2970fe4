import { notFound } from '../domain/error.ts'
import { confirmedThrough } from '../domain/payment.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { Withdrawal } from '../ports/repository/withdrawal.ts'
import type { Tx } from '../ports/store.ts'

/** Locks the withdrawal. The invoice is locked first, in the same order everywhere. */
export async function lockWithdrawal(tx: Tx, invoiceId: number): Promise<{ withdrawal: Withdrawal; invoice: Invoice }> {
  const [invoice] = await tx.invoices.lock([invoiceId])
  const withdrawal = await tx.withdrawals.lock(invoiceId)
  if (!invoice || !withdrawal) throw notFound('withdrawal')
  return { withdrawal, invoice }
}

/** Null when the database was replaced meanwhile and does not contain the order. Its row id may belong to another one. */
export async function lockClaimed(tx: Tx, { publicId }: Withdrawal): Promise<Withdrawal | null> {
  const found = await tx.withdrawals.byPublicId(publicId)
  return found && (await lockWithdrawal(tx, found.invoiceId)).withdrawal
}

/** Whether any payment has fewer confirmations than the order requires. */
export async function hasUnconfirmedPayment(tx: Tx, { id, confirmations }: Invoice): Promise<boolean> {
  const tip = (await tx.chain.tip())?.height ?? 0
  if (confirmations === 0) return false
  const sums = await tx.payments.summaries([{ id, confirmedThrough: confirmedThrough(confirmations, tip) }])
  const { unminedZat, unconfirmedHeight } = sums.get(id)!
  return unminedZat > 0n || unconfirmedHeight !== null
}
