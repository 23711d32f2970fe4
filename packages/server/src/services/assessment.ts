import type { NewEvent, SwapInEvent } from '../domain/event.ts'
import { invoiceEventBody } from '../domain/event.ts'
import type { View } from '../domain/invoice.ts'
import { assess, eventsOf } from '../domain/invoice.ts'
import type { Invoice, InvoiceOutcome, PaymentRow } from '../ports/invoice.ts'
import type { Rows } from '../ports.ts'

/** An invoice that was assessed and came out different. */
export interface Change {
  readonly before: Invoice
  readonly after: Invoice
}

/**
 * Assesses invoices again and writes what changed, with its events, into the transaction at hand. Every trigger ends
 * here: payments, blocks, rewinds, the clock, swaps.
 *
 * @param now Unix seconds.
 */
export type Reassess = (rows: Rows, invoiceIds: Iterable<number>, now: number) => Promise<Change[]>

export interface AssessmentHooks {
  /** What else follows, in the same transaction, when an invoice changes that is not a merchant's sale. */
  readonly settle?: (rows: Rows, before: Invoice, after: Invoice) => Promise<void>
  /** The swap that an event of the invoice tells of; null when it was paid in the base coin. */
  readonly swapOf?: (rows: Rows, invoice: Invoice) => Promise<SwapInEvent | null>
}

export function createReassess({ settle, swapOf = async () => null }: AssessmentHooks = {}): Reassess {
  async function eventsOfChange(rows: Rows, { before, after }: Change, createdAt: number): Promise<NewEvent[]> {
    const event = { accountId: after.accountId, invoiceId: after.id, createdAt }
    const types = after.purpose === 'sale' ? eventsOf(before.status, after.status) : []
    if (types.length === 0) return [{ ...event, type: null, body: null }]
    const swap = await swapOf(rows, after)
    return types.map(type => ({ ...event, type, body: invoiceEventBody(type, after, swap) }))
  }

  /** Coins have come: their event is to tell of the swap that they may be from, so its next look does not wait. */
  async function askProvider(rows: Rows, { before, after }: Change, now: number): Promise<void> {
    if (after.swapId === null || after.receivedZat <= before.receivedZat) return
    await rows.swaps.hasten(after.id, now * 1000)
    rows.wake('swaps')
  }

  return async function reassess(rows, invoiceIds, now) {
    const invoices = await rows.invoices.lock([...new Set(invoiceIds)])
    if (invoices.length === 0) return []
    const payments = Map.groupBy(
      await rows.payments.ofInvoices(invoices.map(invoice => invoice.id)),
      payment => payment.invoiceId,
    )
    const view = { tip: (await rows.chain.tip())?.height ?? 0, seenThrough: await rows.chain.seenThrough() }
    const changes = invoices
      .map(before => ({ before, after: { ...before, ...outcomeOf(before, payments.get(before.id) ?? [], view, now) } }))
      .filter(differs)

    for (const change of changes) {
      await rows.invoices.record(change.after.id, change.after)
      await askProvider(rows, change, now)
      await rows.events.append(await eventsOfChange(rows, change, now))
      if (change.after.purpose !== 'sale') await settle?.(rows, change.before, change.after)
    }
    if (changes.length > 0) rows.wake('events')
    return changes
  }
}

function outcomeOf(
  invoice: Invoice,
  payments: readonly PaymentRow[],
  view: Omit<View, 'swapUnderWay'>,
  now: number,
): InvoiceOutcome {
  const assessment = assess(invoice, invoice.status, payments, { ...view, swapUnderWay: invoice.swapUnderWay })
  const paidNow = assessment.status === 'paid' && invoice.status !== 'paid'
  return { ...assessment, paidAt: paidNow ? now : invoice.paidAt }
}

function differs({ before, after }: Change): boolean {
  return (
    before.status !== after.status ||
    before.receivedZat !== after.receivedZat ||
    before.overpaidZat !== after.overpaidZat ||
    before.txid !== after.txid ||
    before.needsAttention !== after.needsAttention
  )
}
