import type { RecordedPayment } from '../../../../zcash/test/recording.ts'
import type { Moment, RecordedChain } from './moments.ts'

/** What one invoice asks for. Nothing here is read from the service. */
export interface Sale {
  /** Diversifier index of its address. */
  readonly index: number
  readonly amountZat: number
  readonly expiresInSecs: number
  /** What the recording pays to its address, in the order of the chain. */
  readonly payments: readonly RecordedPayment[]
}

export type Status = 'pending' | 'detected' | 'paid' | 'underpaid' | 'expired'

export interface Outcome {
  /** More than one where the time of expiry decides. */
  readonly status: readonly Status[]
  readonly received_zat: number
  readonly overpaid_zat: number
  readonly txid: string | null
}

const CONFIRMATIONS = 3
const DAY_SECS = 86_400
/** The least that an invoice may have: these expire during the test. */
const SHORT_SECS = 60

/** What an invoice asks for beyond what the recording pays to its address, in zat. Every other one is paid exactly. */
const DIFFERENCES: Readonly<Record<number, number>> = { 3: -50_000, 5: -25_000_000, 6: 1, 8: -10_000, 11: -30_000 }
/** One that is paid 1 zat too little, and one that nobody pays. */
const UNPAID = new Set([6, 14])
/**
 * Index 14 is not in the recording. What the recording pays to index 2^64 - 1 is nobody's: no invoice has an index above
 * 2^63 - 1, so that payment must change nothing.
 */
const INDEXES = Array.from({ length: 14 }, (_, i) => i + 1)
const NEVER_PAID_ZAT = 500_000

/**
 * The invoices of the walk, in the order of their diversifier indexes, which begin at 1 without a gap.
 * @param expiring whether those that are not paid in full expire during the walk
 */
export function salesOf({ recording }: RecordedChain, expiring: boolean): readonly Sale[] {
  return INDEXES.map(index => {
    const payments = recording.payments.filter(({ diversifier_index }) => diversifier_index === String(index))
    const amountZat = payments.length === 0 ? NEVER_PAID_ZAT : sum(payments) + (DIFFERENCES[index] ?? 0)
    return { index, amountZat, expiresInSecs: expiring && UNPAID.has(index) ? SHORT_SECS : DAY_SECS, payments }
  })
}

/** What the API must show of the sale at a moment. `end`: also every short-lived invoice has expired. */
export function outcomeAt(chain: RecordedChain, sale: Sale, moment: Moment, end = false): Outcome {
  const seen = sale.payments.filter(payment => chain.locate(payment, moment) !== null)
  const confirmed = sale.payments.filter(payment => {
    const location = chain.locate(payment, moment)
    return location?.at === 'mined' && moment.tip - location.height + 1 >= CONFIRMATIONS
  })
  const received = sum(seen)
  return {
    status: statusOf(sale, received, sum(confirmed), end),
    received_zat: received,
    overpaid_zat: Math.max(0, received - sale.amountZat),
    txid: seen.at(-1)?.txid ?? null,
  }
}

/** The webhook event that the sale has raised once everything is over. Null: none. */
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
