/** A position in the log of changed invoices. */
export interface ChangeCursor {
  readonly seq: number
  /**
   * Differs for another change with this number: a promoted standby numbers its own ones from an earlier state on. Null
   * when the change was not in the log any more, and before the first one.
   */
  readonly change: string | null
}

/** An invoice has changed: its status, an amount or its swap. */
export interface NewInvoiceChange {
  readonly invoiceId: number
  readonly createdAt: number
}

/** The log of changed invoices, which wakes WebSockets. */
export interface InvoiceChangeRepository {
  /** The writes happen at the end of the transaction, so that the lock on `seq` is held briefly. */
  append(changes: readonly NewInvoiceChange[]): Promise<void>
  /**
   * Ids of invoices changed after the cursor, oldest first, with the cursor of the last change that was read. Null when the
   * cursor is not a position in this log: the sequence went back, or the change is pruned and there are later ones.
   */
  since(
    cursor: ChangeCursor,
    limit: number,
  ): Promise<{ readonly cursor: ChangeCursor; readonly invoiceIds: number[] } | null>
  /** The position of the last change. */
  last(): Promise<ChangeCursor>
  /** Deletes changes before a time. @returns the number of deleted changes */
  prune(before: number, limit: number, skip?: number): Promise<number>
}
