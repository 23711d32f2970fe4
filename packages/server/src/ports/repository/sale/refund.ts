import type { Zat } from '../../../domain/money.ts'
import type { NewRefund, Refund, RefundStatus } from '../../../domain/sale/refund.ts'
import type { Page, Period, TimePosition, Totals } from '../page.ts'

/** The request that created a refund. */
export interface RefundRequestKey {
  /** 1 to 255 printable characters. */
  readonly key: string
  /** The hash of the canonical body of the request. */
  readonly bodyHash: Uint8Array
}

/** A refund and the request that created it. */
export interface RequestedRefund {
  readonly refund: Refund
  readonly bodyHash: Uint8Array
}

/** Refunds. To change one, lock its invoice first, except for an address and its sight. */
export interface RefundRepository {
  /** @returns the refund as it is stored */
  insert(refund: NewRefund, request: RefundRequestKey | null): Promise<Refund>
  byPublicId(accountId: number, publicId: string): Promise<Refund | null>
  /** Refunds of an account. Unknown ids are left out. */
  byPublicIds(accountId: number, publicIds: readonly string[]): Promise<Refund[]>
  byLink(linkId: string): Promise<Refund | null>
  /** Created at `since` or later by a request with this key. */
  byKey(accountId: number, key: string, since: number): Promise<RequestedRefund | null>
  /** The refunds of one invoice, newest first. */
  ofInvoice(invoiceId: number, limit: number): Promise<Refund[]>
  /** The refunds of an account, newest first. */
  list(accountId: number, page: Page, status?: RefundStatus): Promise<Refund[]>
  /** The amounts of the newest refunds, of at most `max`. @param status default: of all */
  totals(accountId: number, status: RefundStatus | undefined, max: number): Promise<Totals>
  /** Number of refunds of the period. @param status default: of all */
  countByTime(accountId: number, period: Period, status?: RefundStatus): Promise<number>
  /** The refunds of the period, oldest first, after a position. @param status default: of all */
  listByTime(
    accountId: number,
    period: Period,
    after: TimePosition | null,
    limit: number,
    status?: RefundStatus,
  ): Promise<Refund[]>
  /** The sum and the number of an invoice's refunds that are not canceled, and the sum of those that are sent. */
  sums(invoiceId: number): Promise<{ readonly heldZat: Zat; readonly count: number; readonly sentZat: Zat }>
  /** Reads refunds and locks their rows until the transaction ends. Ordered by id. */
  lock(ids: readonly number[]): Promise<Refund[]>
  /** Writes what a step changed. */
  update(refund: Refund): Promise<void>
  /** Notes the sight of addresses that were not seen before. Lock the refunds first. */
  markSeen(ids: readonly number[], seenAt: number): Promise<void>
}
