import type { TimePosition } from '../page.ts'

/** The descriptions and metadata of invoices, and their copies in events. */
export interface InvoiceTextRepository {
  /** The first account above this id with a text of an invoice that was created before a time. @param before Unix seconds */
  accountAfter(accountId: number, before: number): Promise<number | null>
  /** An account's invoices with a text, oldest first: those created before a time, after this place. */
  list(accountId: number, before: number, after: TimePosition | null, limit: number): Promise<TimePosition[]>
  /** Those of an account's invoices of which an event with a text is still to be delivered. */
  undelivered(accountId: number, invoiceIds: readonly number[]): Promise<ReadonlySet<number>>
  /** Erases the texts of an account's invoices, and those in their events. Lock the invoices first. */
  erase(accountId: number, invoiceIds: readonly number[]): Promise<void>
}
