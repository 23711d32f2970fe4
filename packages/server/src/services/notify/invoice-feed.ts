import type { Invoice } from '../../domain/sale/invoice.ts'
import type { ChangeCursor } from '../../ports/repository/notify/invoice-change.ts'
import type { Swap } from '../../ports/repository/sale/swap.ts'
import type { Store } from '../../ports/store.ts'
import { readTips } from '../sale/invoice-state.ts'

/** A query for the invoices changed since an earlier one. */
export interface ChangesQuery {
  /** The cursor of the previous result; null: start at the newest change. */
  readonly cursor: ChangeCursor | null
  /** Selects which changed invoices are returned. */
  readonly includes: (invoiceId: number) => boolean
  /** Invoices returned whether they changed or not. */
  readonly alwaysInclude: readonly number[]
}

export interface Changes {
  readonly cursor: ChangeCursor
  /** In their present state. */
  readonly invoices: readonly Invoice[]
  /** The ids of those that have changed since the cursor. The others are always included. */
  readonly changed: ReadonlySet<number>
  /** The current swap of each invoice that has one. */
  readonly swaps: ReadonlyMap<Invoice, Swap>
  /** More changes may be available now. */
  readonly hasMore: boolean
  /** Changes before the cursor were lost: the database is a promoted standby or a restored dump. Any invoice may differ. */
  readonly wentBack: boolean
  /** Height up to which blocks confirm payments. */
  readonly confirmedTip: number
  /** Differs when other blocks confirm payments, also at the same height. */
  readonly chainState: string
}

/** Reads invoice changes by cursor, for WebSockets. */
export interface InvoiceFeed {
  changesSince(query: ChangesQuery): Promise<Changes>
}

/** Most changes of one read. */
const CHANGES_LIMIT = 500

export function createInvoiceFeed({ store }: { readonly store: Store }): InvoiceFeed {
  return {
    changesSince: ({ cursor, includes, alwaysInclude }) =>
      store.read(async tx => {
        const changed = cursor && (await tx.invoiceChanges.since(cursor, CHANGES_LIMIT))
        const changedIds = new Set(changed?.invoiceIds.filter(includes))
        const ids = new Set([...alwaysInclude, ...changedIds])
        const invoices = ids.size > 0 ? await tx.invoices.byIds([...ids]) : []
        const swapIds = invoices.flatMap(({ swapId }) => (swapId === null ? [] : [swapId]))
        const swaps = new Map((swapIds.length > 0 ? await tx.swaps.byIds(swapIds) : []).map(swap => [swap.id, swap]))
        const tip = await tx.chain.tip()
        const { confirmedTip } = await readTips(tx, { tip: tip?.height ?? 0 })
        return {
          confirmedTip,
          chainState: `${confirmedTip} ${tip?.hash}`,
          cursor: changed?.cursor ?? (await tx.invoiceChanges.last()),
          invoices,
          changed: changedIds,
          swaps: new Map(
            invoices.flatMap(invoice => {
              const swap = invoice.swapId === null ? undefined : swaps.get(invoice.swapId)
              return swap ? [[invoice, swap] as const] : []
            }),
          ),
          hasMore: changed !== null && changed.cursor.seq > (cursor?.seq ?? 0),
          wentBack: cursor !== null && changed === null,
        }
      }),
  }
}
