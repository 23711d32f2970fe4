import type { VanishedSince } from '../../../domain/chain/dropped-payment.ts'
import type { ShieldedPool } from '../../../domain/chain/shielded-pool.ts'
import type { Zat } from '../../../domain/money.ts'
import type { Payment, PaymentLocation, PaymentSummary } from '../../../domain/sale/payment.ts'

/** A payment to insert or to update. */
export interface NewPayment {
  readonly invoiceId: number
  readonly txid: string
  readonly pool: ShieldedPool
  readonly outputIndex: number
  readonly valueZat: Zat
  readonly location: PaymentLocation
  /** nExpiryHeight of the transaction (ZIP 203): the last height that may contain it. 0: no expiry. Null: unknown. */
  readonly expiryHeight: number | null
  readonly seenAt: number
  /** Height of the block that contains the payment, or of the last recorded block when it was seen unmined. */
  readonly lastSeenHeight: number
  /** A rescan has found it, and `paid` needs a second server. Default: false. */
  readonly awaitsWitness?: boolean
}

/** A recorded payment. */
export interface PaymentRow extends Payment {
  readonly invoiceId: number
  readonly seenAt: number
  readonly awaitsWitness: boolean
  /** Since when mempool snapshots lack the unmined payment. Null while they contain it, and for mined payments. */
  readonly vanished: VanishedSince | null
}

/** A place in the list of unmined payments, which is ordered by invoice and sequence number. */
export interface UnminedCursor {
  readonly invoiceId: number
  readonly seq: number
}

/** Unmined transactions, and the invoices that they pay. */
export interface UnminedTransactions {
  readonly txids: readonly string[]
  readonly invoiceIds: readonly number[]
}

/**
 * Payments, each identified by txid, pool and output index. Their sums by invoice and block change with them. An invoice
 * must be locked while payments to it are recorded, moved or dropped.
 */
export interface PaymentRepository {
  /** Inserts new payments and updates the location of known ones. @returns the ids of the invoices with a change */
  upsert(payments: readonly NewPayment[]): Promise<number[]>
  /** The recorded ones of these payments. */
  known(keys: readonly Pick<Payment, 'txid' | 'pool' | 'outputIndex'>[]): Promise<PaymentRow[]>
  /** The payments of invoices, summed up. `confirmedThrough`: the last height whose payments are confirmed. */
  summaries(
    invoices: readonly { readonly id: number; readonly confirmedThrough: number }[],
  ): Promise<ReadonlyMap<number, PaymentSummary>>
  /** The first `limit` payments of each invoice that are in the mempool. */
  firstUnmined(invoiceIds: readonly number[], limit: number): Promise<PaymentRow[]>
  /** The newest `limit` payments of an invoice that are not dropped, then the newest `limit` dropped ones; newest first. */
  newest(invoiceId: number, limit: number): Promise<PaymentRow[]>
  /** Heights of the blocks with payments of an invoice, the highest first. */
  heightsOf(invoiceId: number, limit: number): Promise<number[]>
  /** When the latest mempool payment of an invoice was first seen, in Unix seconds; null: there is none. */
  latestUnminedSeenAt(invoiceId: number): Promise<number | null>
  /** The invoices with payments mined above `height`. */
  invoicesMinedAbove(height: number): Promise<number[]>
  /** Those of a viewing key that are set aside. */
  setAsideMinedAbove(height: number, viewingKeyId: number): Promise<number[]>
  /**
   * Moves every payment mined above `height` back to the mempool.
   * @param invoiceIds of these invoices. Default: of all
   * @returns the ids of their invoices
   */
  unmineAbove(height: number, invoiceIds?: readonly number[]): Promise<number[]>
  /**
   * Makes at most `limit` vanished payments wait for a new block above `height`, the newest one after a rewind.
   * @returns their number
   */
  lowerVanishedHeights(height: number, limit: number): Promise<number>
  /** The lowest height with at most `limit` payments mined above it, but at least `floor`. */
  lowestHeightWithAtMost(limit: number, floor: number): Promise<number>
  /** Number of payments mined above `height`, and number of paid invoices among their invoices. */
  countAbove(height: number): Promise<{ readonly payments: number; readonly paidInvoices: number }>
  /**
   * The payments mined at these heights, bounds included, but not those of keys that are deleted or set aside: nothing that
   * a server serves can be opened with them.
   */
  comparableBetween(from: number, to: number): Promise<PaymentRow[]>
  /**
   * Payments of set-aside keys at these heights, bounds included, that await no second server. Those at a block that is read
   * again with their key are left out: they count only when they are recorded again.
   */
  unprovenOfSetAside(from: number, to: number): Promise<Pick<PaymentRow, 'seq' | 'invoiceId'>[]>
  /** Makes mined payments, by sequence number, await a second server on their own. */
  awaitWitness(seqs: readonly number[]): Promise<void>
  /**
   * Mined payments that await a second server, at these heights, bounds included, lowest first: at most `limit`. Those of
   * keys that are deleted or set aside are left out.
   */
  awaitingWitness(from: number, to: number, limit: number): Promise<PaymentRow[]>
  /** All mined payments that await a second server, lowest first: at most `limit`, without the first `skip`. */
  allAwaitingWitness(limit: number, skip: number): Promise<Pick<PaymentRow, 'seq' | 'invoiceId'>[]>
  /** Marks payments, by sequence number, that await no second server any more. */
  markWitnessed(seqs: readonly number[]): Promise<void>
  /** The sequence number of the payment recorded last; 0 before the first. */
  lastSeq(): Promise<number>
  /** Marks payments, by sequence number, that the newest mempool snapshot, taken at `tip`, contains. */
  markPresent(seqs: readonly number[], tip: number): Promise<void>
  /** Marks payments, by sequence number, that the newest mempool snapshot lacks without proof that they have vanished. */
  markAbsent(seqs: readonly number[]): Promise<void>
  /** Marks payments, by sequence number, that the newest mempool snapshot proves vanished. */
  markVanished(seqs: readonly number[], vanished: VanishedSince): Promise<void>
  /** The payments in the mempool after `after`, ordered by invoice and sequence number. Null: from the first one. */
  listMempool(limit: number, after: UnminedCursor | null): Promise<PaymentRow[]>
  /**
   * At most `limit` unmined transactions with a payment that no block above `tip` can contain, but not of a viewing key that
   * is set aside: a block that was not scanned with it may contain the payment.
   */
  expiredUnmined(tip: number, limit: number): Promise<UnminedTransactions>
  /** The invoices that the mempool payments of these transactions pay. */
  invoicesOfUnmined(txids: readonly string[]): Promise<number[]>
  /**
   * Marks the mempool payments of these transactions as dropped.
   * @param exceptKeys ids of viewing keys whose payments stay. Default: none
   * @returns the ids of their invoices
   */
  markDropped(txids: readonly string[], exceptKeys?: readonly number[]): Promise<number[]>
  /**
   * Deletes dropped payments that were first seen before `seenBefore`, of invoices whose late window ended before
   * `watchedBefore`; both in Unix seconds. @param skip leaves out this number of them
   * @returns their number, at most `limit`
   */
  pruneDropped(
    before: { readonly seenBefore: number; readonly watchedBefore: number },
    limit: number,
    skip?: number,
  ): Promise<number>
}
