import { sumZat, type Zat } from '../money.ts'
import {
  dueAmount,
  type Invoice,
  type InvoiceStateUpdate,
  type InvoiceStatus,
  type InvoiceTerms,
  isClosed,
  isConfirming,
  isWithinTolerance,
  overpaidAmount,
} from './invoice.ts'
import { confirmsAt, minableUntil, type Payment, type PaymentSummary } from './payment.ts'

/** The state of the chain and of the swap provider at an evaluation. */
export interface EvaluationContext {
  /** Height of the last recorded block. */
  readonly tip: number
  /** Unix seconds: chain and mempool are completely known up to this time. At most the present time; 0: not yet synced. */
  readonly syncedThrough: number
  /** The newest mempool snapshot is recent. */
  readonly mempoolIsKnown: boolean
  /** Whether a second server shows the unmined payment, or need not. Default: always. */
  readonly isWitnessed?: (payment: Payment) => boolean
  /** A swap keeps the invoice open. */
  readonly keptOpenBySwap: boolean
}

/** Why an invoice has its status. */
export type InvoiceReason =
  /** `pending`: less than the amount is received, and chain and mempool are not yet known up to the expiry. */
  | 'before_expiry'
  /** `pending`: known up to its expiry, less than the amount is received, but a swap may still pay it. */
  | 'swap_keeps_open'
  /** `pending`: likewise without such a swap, but a payment that left the mempool can still be mined. */
  | 'dropped_payment_keeps_open'
  /** `detected`: the full amount is received, but not all of it is confirmed. */
  | 'unconfirmed'
  /** `expired` or `underpaid`: the invoice has closed. Now the full amount is received, but not all of it is confirmed. */
  | 'late_unconfirmed'
  /** `expired` or `underpaid`: less than the amount is received, and nothing keeps the invoice open or it has closed before. */
  | 'expired'
  /** `expired` or `underpaid`: likewise, since the merchant canceled the invoice. */
  | 'canceled'
  /** `paid`: the full amount is, or was, confirmed, and is still in the chain. With 0 confirmations, or in the mempool. */
  | 'confirmed'
  /** `paid`: likewise, but not all of the amount was received. The missing part is within the tolerance. */
  | 'within_tolerance'
  /** `paid`: the full amount was confirmed, but payments were removed, and less than the amount is left. */
  | 'payments_removed'

/** A status and its reason. */
interface Decision {
  readonly status: InvoiceStatus
  readonly because: InvoiceReason
}

/** The result of an evaluation. `txid` is that of the latest counted payment. */
export type InvoiceState = Decision &
  Omit<InvoiceStateUpdate, 'id' | 'status' | 'paidAt' | 'underpaidAt' | 'lateAt' | 'attentionSince'>

/** The payments that decide on an invoice. */
export interface InvoicePayments extends PaymentSummary {
  /** The first payments in the mempool, for an invoice that requires 0 confirmations: at most `MAX_UNMINED_COUNTED`. */
  readonly firstUnmined: readonly Payment[]
}

/**
 * Without required confirmations, this number of mempool payments confirms an invoice. Further ones confirm it when they
 * are mined, so that the number of payments does not slow an evaluation.
 */
export const MAX_UNMINED_COUNTED = 1_000

/**
 * Evaluates an invoice from its terms, its previous status, its payments and the state of the chain.
 *
 * The previous status matters in two ways: `paid` is final, and a closed invoice (`expired`, `underpaid`) never opens
 * again. A late payment of the full amount makes it `paid` once it is confirmed, and leaves the status unchanged until
 * then. A late part payment changes `expired` to `underpaid`.
 *
 * When the terms require 0 confirmations, an unmined payment counts as confirmed only while a recent mempool snapshot
 * contains it: evicted payments must not add up to a final `paid`.
 */
export function evaluateInvoice(
  terms: InvoiceTerms,
  before: InvoiceStatus,
  payments: InvoicePayments,
  view: EvaluationContext,
): InvoiceState {
  const { minedZat, unminedZat, unconfirmedHeight } = payments
  const receivedZat = minedZat + unminedZat
  const confirmedUnmined = payments.firstUnmined.filter(payment => isConfirmedUnmined(payment, terms, view))
  const confirmedZat = payments.confirmedZat + sumZat(confirmedUnmined.map(({ valueZat }) => valueZat))
  const openUntilHeight = openUntilHeightOf(payments, terms, view)
  const dueZat = dueAmount(terms, receivedZat)
  const { status, because } = decide(before, {
    confirmed: dueAmount(terms, confirmedZat) === 0n,
    kept: dueAmount(terms, keptAmount(terms, payments)) === 0n,
    isShort: isWithinTolerance(terms, receivedZat),
    receivedZat,
    dueZat,
    isCanceled: terms.canceledAt !== null,
    openBecause: whyOpen(terms, view, openUntilHeight),
  })
  const waits = isConfirming({ status, dueZat })
  return {
    status,
    because,
    receivedZat,
    dueZat,
    overpaidZat: overpaidAmount(terms, receivedZat),
    txid: payments.txid,
    needsAttention: because === 'payments_removed',
    openUntilHeight,
    confirmsAtHeight: waits && unconfirmedHeight !== null ? confirmsAt(terms.confirmations, unconfirmedHeight) : null,
  }
}

/** The amount that keeps a paid invoice from needing attention: mined or, with 0 required confirmations, in the mempool. */
export function keptAmount(
  { confirmations }: Pick<InvoiceTerms, 'confirmations'>,
  { minedZat, unminedZat }: Pick<PaymentSummary, 'minedZat' | 'unminedZat'>,
): Zat {
  return confirmations === 0 ? minedZat + unminedZat : minedZat
}

/** The terms of a stored invoice, and the state that the last evaluation gave it. */
type StoredInvoice = InvoiceTerms &
  Pick<Invoice, 'status' | 'receivedZat' | 'dueZat' | 'needsAttention' | 'openUntilHeight' | 'keptOpenBySwap'>

/**
 * The reason of a stored invoice's status. Null when it cannot be known from these values: the chain is known past the
 * expiry of a pending invoice that nothing keeps open, so the invoice waits for its evaluation, or its viewing key does not
 * open.
 * @param chain null: not read. A pending invoice then has no reason.
 */
export function storedReason(
  invoice: StoredInvoice,
  chain: Pick<EvaluationContext, 'tip' | 'syncedThrough'> | null,
): InvoiceReason | null {
  const { status, receivedZat, dueZat, needsAttention, keptOpenBySwap, openUntilHeight: until, watchUntil } = invoice
  const canBeMined = chain !== null && until !== null && until > chain.tip && chain.syncedThrough < watchUntil
  const decision = decide(status, {
    // It would be paid.
    confirmed: false,
    kept: !needsAttention,
    isShort: isWithinTolerance(invoice, receivedZat),
    receivedZat,
    dueZat,
    isCanceled: invoice.canceledAt !== null,
    openBecause: chain && whyOpen(invoice, { ...chain, keptOpenBySwap }, canBeMined ? until : null),
  })
  return decision.status === status ? decision.because : null
}

function isConfirmedUnmined(payment: Payment, { confirmations }: InvoiceTerms, view: EvaluationContext): boolean {
  const { mempoolIsKnown, isWitnessed = () => true } = view
  return confirmations === 0 && payment.inSnapshot && mempoolIsKnown && isWitnessed(payment)
}

/**
 * The last height that may contain a payment that left the mempool. Null when no dropped payment can be mined any more,
 * or the late window has ended.
 */
function openUntilHeightOf(
  { dropped }: InvoicePayments,
  { watchUntil }: InvoiceTerms,
  { tip, syncedThrough }: EvaluationContext,
): number | null {
  return syncedThrough < watchUntil ? minableUntil(dropped, tip) : null
}

type OpenReason = Extract<InvoiceReason, 'before_expiry' | 'swap_keeps_open' | 'dropped_payment_keeps_open'>

/** Why an invoice without its full amount is still open. Null: nothing keeps it open. */
function whyOpen(
  { expiresAt, canceledAt }: InvoiceTerms,
  { syncedThrough, keptOpenBySwap }: Pick<EvaluationContext, 'syncedThrough' | 'keptOpenBySwap'>,
  openUntilHeight: number | null,
): OpenReason | null {
  if (canceledAt !== null) return null
  if (syncedThrough < expiresAt) return 'before_expiry'
  if (keptOpenBySwap) return 'swap_keeps_open'
  return openUntilHeight === null ? null : 'dropped_payment_keeps_open'
}

interface Facts {
  /** The full amount is confirmed. */
  readonly confirmed: boolean
  /** The full amount is left after all removals, see `keptAmount`. */
  readonly kept: boolean
  /** Part of the amount is missing, and may be. */
  readonly isShort: boolean
  readonly receivedZat: Zat
  /** The amount left to pay. */
  readonly dueZat: Zat
  readonly isCanceled: boolean
  readonly openBecause: OpenReason | null
}

function decide(before: InvoiceStatus, facts: Facts): Decision {
  const { confirmed, kept, isShort, receivedZat, dueZat, isCanceled, openBecause } = facts
  if (before === 'paid' || confirmed) return { status: 'paid', because: whyPaid(kept, isShort) }
  const full = dueZat === 0n
  if (full && isClosed(before)) return { status: before, because: 'late_unconfirmed' }
  if (full) return { status: 'detected', because: 'unconfirmed' }
  if (!isClosed(before) && openBecause !== null) return { status: 'pending', because: openBecause }
  return { status: receivedZat > 0n ? 'underpaid' : 'expired', because: isCanceled ? 'canceled' : 'expired' }
}

function whyPaid(kept: boolean, isShort: boolean): InvoiceReason {
  if (!kept) return 'payments_removed'
  return isShort ? 'within_tolerance' : 'confirmed'
}
