import type { Invoice } from '../domain/sale/invoice.ts'
import type { Refund, RefundWithInvoice } from '../domain/sale/refund.ts'
import type { Tx } from '../ports/store.ts'

/** Pairs records with their invoices, in the order of the records. Records without an invoice are omitted. */
export async function withInvoices<R extends { readonly invoiceId: number }>(
  tx: Tx,
  records: readonly R[],
): Promise<[record: R, invoice: Invoice][]> {
  const found = await tx.invoices.byIds(records.map(record => record.invoiceId))
  const invoices = new Map(found.map(invoice => [invoice.id, invoice]))
  return records.flatMap((record): [R, Invoice][] => {
    const invoice = invoices.get(record.invoiceId)
    return invoice ? [[record, invoice]] : []
  })
}

/** The same for refunds. */
export async function refundsWithInvoices(tx: Tx, refunds: readonly Refund[]): Promise<RefundWithInvoice[]> {
  return (await withInvoices(tx, refunds)).map(([refund, invoice]) => ({ refund, invoice }))
}

/** The invoice of a record. The database keeps it as long as the record. */
export async function invoiceOf(
  tx: Pick<Tx, 'invoices'>,
  { invoiceId }: { readonly invoiceId: number },
): Promise<Invoice> {
  const [invoice] = await tx.invoices.byIds([invoiceId])
  if (!invoice) throw new Error('the invoice of a record does not exist')
  return invoice
}
