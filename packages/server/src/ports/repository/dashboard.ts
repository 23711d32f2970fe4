import type { InvoiceStatus } from '../../domain/invoice.ts'
import type { Zat } from '../../domain/money.ts'
import type { Invoice } from './invoice.ts'

/** What was received by invoices that were found paid on a day of UTC. */
export interface DayFigures {
  /** Unix seconds of the day's start. */
  readonly day: number
  readonly receivedZat: Zat
  readonly invoices: number
}

/** A place in an account's invoices by time. */
export interface Position {
  readonly createdAt: number
  readonly id: number
}

/** What the owner's pages ask beyond single records; of one account's sales throughout. */
export interface DashboardRows {
  /** From the day that `from` lies in, oldest first; days without a paid invoice are left out. */
  paidByDay(accountId: number, from: number): Promise<DayFigures[]>
  /** Made at `createdFrom` or later. */
  countByStatus(accountId: number, status: InvoiceStatus, createdFrom: number): Promise<number>
  /** Paid invoices whose payments the chain took back, newest first. */
  needingAttention(accountId: number, limit: number): Promise<Invoice[]>
  /** How many paid invoices have payments that the chain took back. */
  countNeedingAttention(accountId: number): Promise<number>
  /** Whose id begins so; lower case. */
  byIdPrefix(accountId: number, prefix: string, limit: number): Promise<Invoice[]>
  /** With a payment in a transaction whose id begins so; lower case. */
  byTxidPrefix(accountId: number, prefix: string, limit: number): Promise<Invoice[]>
  /** The viewing keys that the account has ever had. */
  viewingKeyIds(accountId: number): Promise<number[]>
  /** Of the period [from, to), oldest first, after a position. */
  inOrder(
    accountId: number,
    period: { readonly from: number; readonly to: number },
    after: Position | null,
    limit: number,
  ): Promise<Invoice[]>
}
