import type { Zat } from '../money.ts'
import { startOfDay } from '../time.ts'

/** The paid sales of one account on one UTC day, or a change of them. */
export interface DailyTotalChange {
  readonly accountId: number
  /** Unix seconds of the day's start. */
  readonly day: number
  readonly receivedZat: Zat
  /** The sum of the refunds that were marked as sent on this day. */
  readonly refundedZat: Zat
  readonly invoices: number
}

interface SaleState {
  readonly accountId: number
  readonly purpose: string
  readonly paidAt: number | null
  readonly receivedZat: Zat
}

/**
 * The amounts that changes of invoices add to the totals of the days on which they became paid, by account and day.
 * An amount received after that day counts for it too.
 */
export function dailyTotalChanges(
  changes: readonly { readonly before: SaleState; readonly after: SaleState }[],
): DailyTotalChange[] {
  const totals = new Map<string, DailyTotalChange>()
  for (const { before, after } of changes) {
    if (after.purpose !== 'sale') continue
    add(totals, before, -1)
    add(totals, after, 1)
  }
  return [...totals.values()]
    .filter(({ receivedZat, invoices }) => receivedZat !== 0n || invoices !== 0)
    .sort((a, b) => a.accountId - b.accountId || a.day - b.day)
}

function add(totals: Map<string, DailyTotalChange>, invoice: SaleState, sign: 1 | -1): void {
  if (invoice.paidAt === null) return
  const { accountId } = invoice
  const day = startOfDay(invoice.paidAt)
  const key = `${accountId} ${day}`
  const { receivedZat, invoices } = totals.get(key) ?? { receivedZat: 0n, invoices: 0 }
  const total = { receivedZat: receivedZat + BigInt(sign) * invoice.receivedZat, invoices: invoices + sign }
  totals.set(key, { accountId, day, refundedZat: 0n, ...total })
}
