import type { Expectation, Ledger } from './ledger.ts'
import type { InvoiceResponse, Poll } from './shop.ts'
import { intersection, type Span } from './spans.ts'

const CLOSED = new Set(['expired', 'underpaid'])

/** The number of recorded events of an invoice, by type. */
export interface EventCounts {
  readonly 'invoice.paid'?: number
  readonly 'invoice.underpaid'?: number
}

/**
 * The spans in which the full amount was certainly paid in time: within them no response may report the invoice as closed.
 * A payment is certain if a running service could read it from servers without faults for `witnessMs` before the expiry.
 */
export function witnessedSpans(fullSpans: readonly Span[], clear: readonly Span[], terms: WitnessTerms): Span[] {
  const inTime = [{ fromMs: 0, toMs: terms.expiresAtMs }]
  return fullSpans.filter(full =>
    intersection(intersection([full], inTime), clear).some(({ fromMs, toMs }) => toMs - fromMs >= terms.witnessMs),
  )
}

/** Options of witnessedSpans. */
export interface WitnessTerms {
  readonly expiresAtMs: number
  readonly witnessMs: number
}

/** Violations in the responses during the run. */
export function pollProblems(polls: readonly Poll[], expiresAtMs: number, witnessed: readonly Span[]): string[] {
  const problems = new Set<string>()
  let previous = 'pending'
  for (const { atMs, status } of polls) {
    if (previous === 'paid' && status !== 'paid') problems.add(`went from paid to ${status}`)
    if (CLOSED.has(previous) && !CLOSED.has(status) && status !== 'paid')
      problems.add(`went from ${previous} to ${status}`)
    if (CLOSED.has(status) && atMs < expiresAtMs) problems.add(`was ${status} before its expiry`)
    if (CLOSED.has(status) && witnessed.some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs))
      problems.add(`was ${status} although it had been paid in time`)
    previous = status
  }
  return [...problems]
}

/** Differences from the ledger once the run has settled. */
export function finalProblems(invoice: InvoiceResponse, expected: Expectation, events: EventCounts): string[] {
  const { received, overpaid, statuses, txids } = expected
  const problems: string[] = []
  const check = (isMet: boolean, problem: string) => void (isMet || problems.push(problem))
  check(statuses.has(invoice.status), `is ${invoice.status}, not ${[...statuses].join(' or ')}`)
  check(BigInt(invoice.received_zat) === received, `has received ${invoice.received_zat}, not ${received}`)
  check(BigInt(invoice.overpaid_zat) === overpaid, `is overpaid by ${invoice.overpaid_zat}, not ${overpaid}`)
  check(invoice.txid === null ? txids.size === 0 : txids.has(invoice.txid), 'has a txid that does not count')
  const paidEvents = invoice.status === 'paid' ? 1 : 0
  const { 'invoice.paid': paid = 0, 'invoice.underpaid': underpaid = 0 } = events
  check(paid === paidEvents, `is ${invoice.status} and has ${paid} events invoice.paid`)
  check(underpaid <= 1, `has ${underpaid} events invoice.underpaid`)
  check(invoice.status !== 'underpaid' || underpaid === 1, 'is underpaid without an event')
  return problems
}

/** The number of invoices with witnessed spans. A run without any proves little. */
export function countWitnessed(
  ledger: Ledger,
  ids: readonly string[],
  clear: readonly Span[],
  witnessMs: number,
): number {
  return ids.filter(id => {
    const terms = { expiresAtMs: ledger.expiresAtMs(id), witnessMs }
    return witnessedSpans(ledger.fullSpans(id), clear, terms).length > 0
  }).length
}
