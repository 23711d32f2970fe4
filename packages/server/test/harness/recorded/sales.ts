import type { RecordedPayment } from '../../../../zcash/test/recording.ts'
import type { Moment, RecordedChain } from './moments.ts'

/** One invoice of the walk. All values come from the recording, not from the service. */
export interface Sale {
  /** Diversifier index of its address. */
  readonly index: number
  readonly amountZat: number
  readonly expiresInSecs: number
  /** The recorded payments to its address, in chain order. */
  readonly payments: readonly RecordedPayment[]
}

export type Status = 'pending' | 'detected' | 'paid' | 'underpaid' | 'expired'

/** The expected API values of an invoice. */
export interface Outcome {
  /** The allowed statuses: several when the result depends on the exact time of expiry. */
  readonly status: readonly Status[]
  readonly received_zat: number
  readonly overpaid_zat: number
  readonly txid: string | null
}

const CONFIRMATIONS = 3
const DAY_SECS = 86_400
/** The minimum expiry of an invoice. These invoices expire during the test. */
const SHORT_SECS = 60

/** Invoice amount minus the recorded payments in zat, by index. All other invoices are paid exactly. */
const DIFFERENCES: Readonly<Record<number, number>> = { 3: -50_000, 5: -25_000_000, 6: 1, 8: -10_000, 11: -30_000 }
/** One invoice is underpaid by 1 zat, and one is not paid at all. */
const UNPAID = new Set([6, 14])
/**
 * Index 14 has no recorded payment. The recorded payment to index 2^64 - 1 belongs to no invoice, because invoice indexes
 * end at 2^63 - 1. It must have no effect.
 */
const INDEXES = Array.from({ length: 14 }, (_, i) => i + 1)
const NEVER_PAID_ZAT = 500_000

/**
 * The invoices of the walk, ordered by diversifier index, from 1 without gaps.
 * @param expiring whether unpaid and underpaid invoices expire during the walk
 */
export function salesOf({ recording }: RecordedChain, expiring: boolean): readonly Sale[] {
  return INDEXES.map(index => {
    const payments = recording.payments.filter(({ diversifier_index }) => diversifier_index === String(index))
    const amountZat = payments.length === 0 ? NEVER_PAID_ZAT : sum(payments) + (DIFFERENCES[index] ?? 0)
    return { index, amountZat, expiresInSecs: expiring && UNPAID.has(index) ? SHORT_SECS : DAY_SECS, payments }
  })
}

/** The expected API values at a moment. `end`: all short-lived invoices have expired. */
export function outcomeAt(chain: RecordedChain, sale: Sale, moment: Moment, end = false): Outcome {
  const visible = sale.payments.filter(payment => chain.locate(payment, moment) !== null)
  const confirmed = sale.payments.filter(payment => {
    const location = chain.locate(payment, moment)
    return location?.at === 'mined' && moment.tip - location.height + 1 >= CONFIRMATIONS
  })
  const received = sum(visible)
  return {
    status: statusOf(sale, received, sum(confirmed), end),
    received_zat: received,
    overpaid_zat: Math.max(0, received - sale.amountZat),
    txid: visible.at(-1)?.txid ?? null,
  }
}

/** The webhook event that the sale raises by the end, or null. */
export function eventOf(chain: RecordedChain, sale: Sale, end: Moment): 'invoice.paid' | 'invoice.underpaid' | null {
  const [status] = outcomeAt(chain, sale, end, true).status
  return status === 'paid' || status === 'underpaid' ? `invoice.${status}` : null
}

function statusOf(sale: Sale, received: number, confirmed: number, end: boolean): Status[] {
  if (confirmed >= sale.amountZat) return ['paid']
  if (received >= sale.amountZat) return ['detected']
  if (sale.expiresInSecs === DAY_SECS) return ['pending']
  const closed = received > 0 ? 'underpaid' : 'expired'
  return end ? [closed] : ['pending', closed]
}

function sum(payments: readonly RecordedPayment[]): number {
  return payments.reduce((total, { value_zat }) => total + value_zat, 0)
}
