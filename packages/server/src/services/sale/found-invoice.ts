import type { Account } from '../../domain/account/account.ts'
import { AppError } from '../../domain/error.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import type { Tx } from '../../ports/store.ts'
import { findByPublicId, sameRow } from '../public-id.ts'

/**
 * Finds the invoice of a sale of the account.
 * @throws AppError `no_such_invoice`, also for one of another account
 */
export function findSale(
  { id: accountId }: Pick<Account, 'id'>,
  publicId: string,
  find: (publicId: string) => Promise<Invoice | null>,
): Promise<Invoice> {
  return findByPublicId('no_such_invoice', publicId, async id => {
    const invoice = await find(id)
    return invoice?.accountId === accountId && invoice.purpose === 'sale' ? invoice : null
  })
}

/** Locks an invoice that was read. @throws AppError `no_such_invoice` when another one has its row, see `sameRow` */
export async function lockFound(tx: Tx, found: Pick<Invoice, 'id' | 'publicId'>): Promise<Invoice> {
  const [locked] = await tx.invoices.lock([found.id])
  return requireSame(locked, found)
}

/** @throws AppError `no_such_invoice` when it is not the one that was found, see `sameRow` */
export function requireSame(row: Invoice | undefined, found: Pick<Invoice, 'publicId'>): Invoice {
  const invoice = sameRow(row, found)
  if (!invoice) throw new AppError('no_such_invoice')
  return invoice
}
