import type { Zat } from '../../domain/money.ts'
import type { MissingSince, Payment, PaymentLocation } from '../../domain/payment.ts'
import type { ShieldedPool } from '../../domain/shielded-pool.ts'

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
  readonly missing: MissingSince | null
}

/** Payments, each identified by txid, pool and output index. */
export interface PaymentRepository {
  /** Inserts new payments and updates the location of known ones. @returns the ids of the invoices with a change */
  upsert(payments: readonly NewPayment[]): Promise<number[]>
  /** The payments of these invoices in the order of recording, dropped payments included. */
  byInvoices(invoiceIds: readonly number[]): Promise<PaymentRow[]>
  /** Moves every payment mined above `height` back to the mempool. @returns the ids of their invoices */
  unmineAbove(height: number): Promise<number[]>
  /** The lowest height with at most `limit` payments mined above it, but at least `floor`. */
  lowestHeightWithAtMost(limit: number, floor: number): Promise<number>
  /** Number of payments mined above `height`, and number of paid invoices among their invoices. */
  countAbove(height: number): Promise<{ readonly payments: number; readonly paidInvoices: number }>
  /** The payments mined at these heights, bounds included, but not those of deleted keys: no server can show them any more. */
  comparableBetween(from: number, to: number): Promise<PaymentRow[]>
  /** Mined payments that await a second server, at these heights, bounds included, lowest first: at most `limit`. */
  awaitingWitness(from: number, to: number, limit: number): Promise<PaymentRow[]>
  /** Marks payments, by sequence number, that await no second server any more. */
  markWitnessed(seqs: readonly number[]): Promise<void>
  /** The sequence number of the payment recorded last; 0 before the first. */
  lastSeq(): Promise<number>
  /** Marks payments, by sequence number, that the newest mempool snapshot, taken at `tip`, contains. */
  markPresent(seqs: readonly number[], tip: number): Promise<void>
  /** Marks payments, by sequence number, that the newest mempool snapshot lacks without proof that they are missing. */
  markAbsent(seqs: readonly number[]): Promise<void>
  /** Marks payments, by sequence number, that the newest mempool snapshot proves missing. */
  markMissing(seqs: readonly number[], missing: MissingSince): Promise<void>
  /** All payments now in the mempool. Their number is bounded by the mempool itself. */
  listMempool(): Promise<PaymentRow[]>
  /** Marks the mempool payments of these transactions as dropped. @returns the ids of their invoices */
  markDropped(txids: readonly string[]): Promise<number[]>
}
