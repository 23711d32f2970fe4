import type { Invoice } from '../ports/repository/invoice.ts'
import type { Store } from '../ports/store.ts'

/** A query for the invoices changed since an earlier one. */
export interface ChangesQuery {
  /** The cursor of the previous result; null: start at the newest change. */
  readonly cursor: number | null
  /** Selects which changed invoices are returned. */
  readonly includes: (invoiceId: number) => boolean
  /** Invoices returned whether they changed or not. */
  readonly alwaysInclude: readonly number[]
}

export interface Changes {
  readonly cursor: number
  /** In their present state. */
  readonly invoices: readonly Invoice[]
  /** More changes may be available now. */
  readonly hasMore: boolean
}

/** Reads invoice changes by cursor, for WebSockets. */
export interface InvoiceFeed {
  changesSince(query: ChangesQuery): Promise<Changes>
}

/** Most events of one read. */
const CHANGES_LIMIT = 500

export function createInvoiceFeed({ store }: { readonly store: Store }): InvoiceFeed {
  return {
    changesSince: ({ cursor, includes, alwaysInclude }) =>
      store.read(async tx => {
        const since = cursor ?? (await tx.events.lastSeq())
        const changed = await tx.events.invoicesChangedSince(since, CHANGES_LIMIT)
        const ids = new Set([...alwaysInclude, ...changed.invoiceIds.filter(includes)])
        const invoices = ids.size > 0 ? await tx.invoices.byIds([...ids]) : []
        return { cursor: changed.seq, invoices, hasMore: changed.seq > since }
      }),
  }
}
