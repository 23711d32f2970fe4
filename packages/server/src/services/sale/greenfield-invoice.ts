import type { Account } from '../../domain/account/account.ts'
import { type GreenfieldStatus, greenfieldState, matchesText } from '../../domain/sale/greenfield-invoice.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { InvoiceFilter } from '../../ports/repository/sale/invoice.ts'
import type { PaymentRow } from '../../ports/repository/sale/payment.ts'
import type { Store, Tx } from '../../ports/store.ts'
import { createTurns } from '../turns.ts'
import { findSale, lockFound } from './found-invoice.ts'
import { readTips } from './invoice-state.ts'

/** Selects the invoices of a list. Absent fields select all. */
export interface GreenfieldFilter {
  readonly orderIds?: readonly string[]
  readonly statuses?: readonly GreenfieldStatus[]
  /** Unix seconds, inclusive. */
  readonly createdFrom?: number
  /** Unix seconds, exclusive. */
  readonly createdTo?: number
  /** A part of the id, the order, the description or the metadata, in any case. Looked for in the newest `MAX_LISTED`. */
  readonly text?: string
  readonly includesArchived: boolean
}

/** Bounds what a list reads: `skip` and `take` together. */
export const MAX_LISTED = 1_000
export const MAX_ORDERS = 20
const PAGE = 100
/** Invoices of one order that a list reads. */
const MAX_OF_ORDER = 100
const MAX_PAYMENTS = 100

export interface InvoicePayments {
  readonly invoice: Invoice
  /** The newest 100, and the newest 100 dropped ones, in the order of recording. */
  readonly payments: readonly PaymentRow[]
  /** The height up to which blocks confirm. */
  readonly confirmedTip: number
}

/** A merchant's invoices as clients of BTCPay's API read and change them. */
export interface GreenfieldInvoices {
  /** @throws AppError `no_such_invoice`, also for another account's */
  read(account: Account, publicId: string): Promise<Invoice>
  /** The payments of an invoice, in one snapshot. @throws AppError `no_such_invoice` */
  payments(account: Account, publicId: string): Promise<InvoicePayments>
  /** Newest first. `skip` and `take` are together at most `MAX_LISTED`. */
  list(account: Account, filter: GreenfieldFilter, page: { skip: number; take: number }): Promise<Invoice[]>
  /** Replaces the metadata, and what is read from it. @throws AppError `no_such_invoice` */
  setTexts(
    account: Account,
    publicId: string,
    texts: Pick<Invoice, 'orderId' | 'description' | 'metadata'>,
  ): Promise<Invoice>
  /** Leaves the invoice out of lists, or takes it in again. @throws AppError `no_such_invoice` */
  archive(account: Account, publicId: string, isArchived: boolean): Promise<Invoice>
}

export function createGreenfieldInvoices(deps: { readonly store: Store; readonly clock: Clock }): GreenfieldInvoices {
  const { store, clock } = deps
  const ownTurn = createTurns()

  const read = (account: Account, publicId: string): Promise<Invoice> =>
    findSale(account, publicId, id => store.lookup.invoice(id))

  /** Those of the newest invoices of a filter that are wanted. Other work goes on between the pages. */
  async function newest(
    account: Account,
    filter: InvoiceFilter,
    limit: number,
    isWanted: (invoice: Invoice) => boolean,
  ): Promise<Invoice[]> {
    const found: Invoice[] = []
    let before: string | undefined
    for (let left = limit; left > 0; left -= PAGE) {
      const page = { limit: Math.min(PAGE, left), ...(before !== undefined && { before }) }
      const next = await store.read(tx => tx.invoices.list(account.id, page, filter))
      for (const invoice of next) if (isWanted(invoice)) found.push(invoice)
      if (next.length < page.limit) break
      before = next.at(-1)?.publicId
      await ownTurn()
    }
    return found
  }

  async function change(account: Account, publicId: string, write: (tx: Tx, invoice: Invoice) => Promise<Invoice>) {
    const found = await read(account, publicId)
    return store.write(async tx => {
      return write(tx, await lockFound(tx, found))
    })
  }

  return {
    read,

    payments: (account, publicId) =>
      store.read(async tx => {
        const invoice = await findSale(account, publicId, id => tx.invoices.byPublicId(id))
        const payments = (await tx.payments.newest(invoice.id, MAX_PAYMENTS)).sort((a, b) => a.seq - b.seq)
        return { invoice, payments, confirmedTip: (await readTips(tx)).confirmedTip }
      }),

    async list(account, { orderIds, statuses, text, createdFrom, createdTo, includesArchived }, { skip, take }) {
      const common: InvoiceFilter = {
        ...(createdFrom !== undefined && { createdFrom }),
        ...(createdTo !== undefined && { createdTo }),
        ...(!includesArchived && { notArchived: true }),
      }
      const ofStatuses = statuses ? statuses.flatMap(status => FILTERS[status]) : [{}]
      const filters: InvoiceFilter[] = orderIds ? orderIds.map(orderId => ({ orderId })) : ofStatuses
      const limit = orderIds ? MAX_OF_ORDER : text === undefined ? skip + take : MAX_LISTED
      const isWanted = (invoice: Invoice) =>
        (statuses === undefined || statuses.includes(greenfieldState(invoice).status)) &&
        (text === undefined || matchesText(invoice, text))
      const lists: Invoice[][] = []
      for (const filter of filters) lists.push(await newest(account, { ...common, ...filter }, limit, isWanted))
      return lists
        .flat()
        .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
        .slice(skip, skip + take)
    },

    setTexts: (account, publicId, texts) =>
      change(account, publicId, async (tx, invoice) => {
        await tx.invoices.setTexts(invoice.id, texts)
        return { ...invoice, ...texts }
      }),

    archive: (account, publicId, isArchived) =>
      change(account, publicId, async (tx, invoice) => {
        if ((invoice.archivedAt !== null) === isArchived) return invoice
        const archivedAt = isArchived ? nowSecs(clock) : null
        await tx.invoices.archive(invoice.id, archivedAt)
        return { ...invoice, archivedAt }
      }),
  }
}

/** Together they select at least the invoices of a status, each read in the order of an index. */
const FILTERS: Readonly<Record<GreenfieldStatus, readonly InvoiceFilter[]>> = {
  New: [{ statuses: ['pending'], markedAs: null }],
  Processing: [{ statuses: ['detected'], markedAs: null }],
  Settled: [{ statuses: ['paid'], markedAs: null }, { markedAs: 'settled' }],
  Expired: [
    { statuses: ['expired'], markedAs: null, notCanceled: true },
    { statuses: ['underpaid'], markedAs: null, notCanceled: true },
  ],
  Invalid: [{ markedAs: 'invalid' }, { canceled: true, markedAs: null, statuses: ['expired', 'underpaid'] }],
}
