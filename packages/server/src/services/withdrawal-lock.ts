import { notFound } from '../domain/error.ts'
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
