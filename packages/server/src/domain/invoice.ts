import type { Zat } from './money.ts'
import { sumZat } from './money.ts'
import { confirmsAt, minableUntil, type Payment, type PaymentSummary } from './payment.ts'

export const INVOICE_STATUSES = ['pending', 'detected', 'paid', 'underpaid', 'expired'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

export const EXPIRY_SECS = { min: 60, max: 86_400, default: 900 } as const

/** The terms of an invoice, fixed at its creation. */
export interface InvoiceTerms {
  readonly amountZat: Zat
  /** Unix seconds. */
  readonly expiresAt: number
  /** Unix seconds: late payments count until then. */
  readonly watchUntil: number
  /** Blocks, the payment's own included, until a payment is confirmed. With 0, mempool payments count as confirmed. */
  readonly confirmations: number
}

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

/** The result of an evaluation. */
export interface InvoiceState {
  readonly status: InvoiceStatus
  readonly receivedZat: Zat
  readonly overpaidZat: Zat
  /** Transaction of the latest counted payment. */
  readonly txid: string | null
  /** The invoice is paid, but payments were removed by a reorganisation and the rest is less than the amount. */
  readonly needsAttention: boolean
  /**
   * A payment that left the mempool can still be mined up to this height, so the invoice stays open until then, or until
   * the end of its late window. Null when there is no such payment.
   */
  readonly openUntilHeight: number | null
  /**
   * The height of the confirmed chain from which on the full amount, once received, may be confirmed. Null: it is not
   * received, or the invoice is paid, or no block can confirm more of it.
   */
  readonly confirmsAtHeight: number | null
}

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
  const keptZat = terms.confirmations === 0 ? receivedZat : minedZat
  const openUntilHeight = openUntilHeightOf(payments, terms, view)
  const due = view.syncedThrough >= terms.expiresAt && !view.keptOpenBySwap && openUntilHeight === null
  const status = statusOf(terms, before, receivedZat, confirmedZat, due)
  const waits = status !== 'paid' && receivedZat >= terms.amountZat
  return {
    status,
    receivedZat,
    overpaidZat: overpaidAmount(terms.amountZat, receivedZat),
    txid: payments.txid,
    needsAttention: status === 'paid' && keptZat < terms.amountZat,
    openUntilHeight,
    confirmsAtHeight: waits && unconfirmedHeight !== null ? confirmsAt(terms.confirmations, unconfirmedHeight) : null,
  }
}

function overpaidAmount(amountZat: Zat, receivedZat: Zat): Zat {
  return receivedZat > amountZat ? receivedZat - amountZat : 0n
}

export function isClosed(status: InvoiceStatus): boolean {
  return status === 'expired' || status === 'underpaid'
}

/** Whether the status ends a WebSocket subscription. */
export function isFinal(status: InvoiceStatus): boolean {
  return status === 'paid' || isClosed(status)
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

/** @param due the invoice's expiry has passed, and nothing keeps it open */
function statusOf(
  terms: InvoiceTerms,
  before: InvoiceStatus,
  receivedZat: Zat,
  confirmedZat: Zat,
  due: boolean,
): InvoiceStatus {
  if (before === 'paid' || confirmedZat >= terms.amountZat) return 'paid'
  const full = receivedZat >= terms.amountZat
  if (full) return isClosed(before) ? before : 'detected'
  if (!isClosed(before) && !due) return 'pending'
  return receivedZat > 0n ? 'underpaid' : 'expired'
}

/** The state that decides which events an invoice raises. */
export interface InvoiceEventState {
  readonly status: InvoiceStatus
  /** When `invoice.underpaid` was raised; null: not yet. */
  readonly underpaidAt: number | null
}

/** The public events that a change raises. `invoice.underpaid` is raised at most once. */
export function invoiceEventsOf(
  before: InvoiceEventState,
  after: InvoiceEventState,
): ('invoice.paid' | 'invoice.underpaid')[] {
  if (before.status === after.status) return []
  if (after.status === 'paid') return ['invoice.paid']
  return after.status === 'underpaid' && before.underpaidAt === null ? ['invoice.underpaid'] : []
}
