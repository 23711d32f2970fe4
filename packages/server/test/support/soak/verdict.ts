import type { Expectation, Ledger } from './ledger.ts'
import type { Poll, ShownInvoice } from './shop.ts'
import { intersection, type Span } from './spans.ts'

const CLOSED = new Set(['expired', 'underpaid'])

/** How often the service recorded each event of an invoice. */
export interface EventCounts {
  readonly 'invoice.paid'?: number
  readonly 'invoice.underpaid'?: number
}

/**
 * The moments at which the full amount was paid in time beyond doubt: from then on nothing may show the invoice as closed.
 * Beyond doubt is what some service that stayed alive could read from honest servers for `witnessMs` before the expiry.
 */
export function witnessedSpans(fullSpans: readonly Span[], clear: readonly Span[], terms: WitnessTerms): Span[] {
  const inTime = [{ fromMs: 0, toMs: terms.expiresAtMs }]
  return fullSpans.filter(full =>
    intersection(intersection([full], inTime), clear).some(({ fromMs, toMs }) => toMs - fromMs >= terms.witnessMs),
  )
}

export interface WitnessTerms {
  readonly expiresAtMs: number
  readonly witnessMs: number
}

/** What the answers during the run must never have said. */
export function problemsOfPolls(polls: readonly Poll[], expiresAtMs: number, witnessed: readonly Span[]): string[] {
  const problems = new Set<string>()
  let before = 'pending'
  for (const { atMs, status } of polls) {
    if (before === 'paid' && status !== 'paid') problems.add(`went from paid to ${status}`)
    if (CLOSED.has(before) && !CLOSED.has(status) && status !== 'paid') problems.add(`went from ${before} to ${status}`)
    if (CLOSED.has(status) && atMs < expiresAtMs) problems.add(`was ${status} before its time`)
    if (CLOSED.has(status) && witnessed.some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs))
      problems.add(`was ${status} though it had been paid in time`)
    before = status
  }
  return [...problems]
}

/** What is not as the ledger says once everything has settled. */
export function problemsOfEnd(shown: ShownInvoice, expected: Expectation, events: EventCounts): string[] {
  const { received, overpaid, statuses, txids } = expected
  const problems: string[] = []
  const check = (holds: boolean, problem: string) => void (holds || problems.push(problem))
  check(statuses.has(shown.status), `is ${shown.status}, not ${[...statuses].join(' or ')}`)
  check(BigInt(shown.received_zat) === received, `has received ${shown.received_zat}, not ${received}`)
  check(BigInt(shown.overpaid_zat) === overpaid, `is overpaid by ${shown.overpaid_zat}, not ${overpaid}`)
  check(shown.txid === null ? txids.size === 0 : txids.has(shown.txid), `names a transaction that does not count`)
  const paidEvents = shown.status === 'paid' ? 1 : 0
  const { 'invoice.paid': paid = 0, 'invoice.underpaid': underpaid = 0 } = events
  check(paid === paidEvents, `is ${shown.status} and has ${paid} events invoice.paid`)
  check(underpaid <= 1, `has ${underpaid} events invoice.underpaid`)
  check(shown.status !== 'underpaid' || underpaid === 1, 'is underpaid without an event')
  return problems
}

/** How many invoices the ledger can be sure about: without any the run has proved little. */
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
