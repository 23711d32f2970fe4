import { dueAmount, INVOICE_FIELDS, type Invoice } from '../../src/domain/sale/invoice.ts'

/** An invoice of 5,000 zat as it is created, except for these fields. What is due follows from what is received. */
export function invoiceWith(fields: Partial<Invoice> = {}): Invoice {
  const initial = Object.entries(INVOICE_FIELDS).map(([name, field]) => [
    name,
    'initial' in field ? field.initial : null,
  ])
  const invoice: Invoice = {
    ...(Object.fromEntries(initial) as Invoice),
    id: 1,
    publicId: '6f0f6f6e-2f0b-4c1c-9d3e-0a4b5c6d7e8f',
    accountId: 1,
    viewingKeyId: 1,
    diversifierIndex: 1n,
    purpose: 'sale',
    address: 'uregtest1…',
    amountZat: 5_000n,
    confirmations: 3,
    createdAt: 1_800_000_000,
    expiresAt: 1_800_000_900,
    watchUntil: 1_800_086_400,
    ...fields,
  }
  return { ...invoice, dueZat: dueAmount(invoice, invoice.receivedZat) }
}
