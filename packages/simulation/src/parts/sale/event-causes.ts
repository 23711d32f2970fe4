import type { InvoiceRow } from './ledger.ts'

/** The causes whose event is not known to be raised when only the first and the last state of an invoice are. */
const HIDDEN = new Set(['invoice.late_payment', 'invoice.part_paid'])

/** The types of the events that lead from one state of a sale to the next. @param before undefined: it is new */
export function causesOf(before: InvoiceRow | undefined, after: InvoiceRow): string[] {
  if (!before) return ['invoice.created']
  const becomes = (status: string) => after.status === status && before.status !== status
  const isClosedNow = isClosed(after) && !isClosed(before)
  const isMore = after.received_zat > before.received_zat
  const causes: Readonly<Record<string, boolean>> = {
    'invoice.payment_received': isMore,
    'invoice.reorged': before.needs_attention === 0n && after.needs_attention === 1n,
    'invoice.late_payment': isMore && isClosed(before),
    'invoice.part_paid': isMore && after.due_zat > 0n,
    'invoice.overpaid': after.overpaid_zat > before.overpaid_zat,
    'invoice.detected': becomes('detected'),
    'invoice.paid': becomes('paid'),
    'invoice.underpaid': becomes('underpaid') && before.underpaid_at === null,
    'invoice.canceled': isClosedNow && after.canceled_at !== null,
    'invoice.expired': becomes('expired') && after.canceled_at === null,
  }
  return Object.keys(causes).filter(type => causes[type])
}

/** Whether the event is raised also when further changes lie between the two states. */
export function isSeenInNetChange(type: string): boolean {
  return !HIDDEN.has(type)
}

function isClosed({ status }: InvoiceRow): boolean {
  return status === 'expired' || status === 'underpaid'
}
