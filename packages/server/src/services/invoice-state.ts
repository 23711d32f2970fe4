import { attentionMailDueAt } from '../domain/attention-mail.ts'
import type { NewEvent, SwapInEvent } from '../domain/event.ts'
import { invoiceEventBody } from '../domain/event.ts'
import type { View } from '../domain/invoice.ts'
import { assess, eventsOf } from '../domain/invoice.ts'
import type { WatchMeter } from '../ports/metrics.ts'
import { NO_WATCH_METER } from '../ports/metrics.ts'
import type { Invoice, InvoiceOutcome, PaymentRow } from '../ports/repository/invoice.ts'
import type { Log, Rows } from '../ports.ts'

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
 * @returns the invoices in which something changed that is shown outside
 */
export type Reassess = (rows: Rows, invoiceIds: Iterable<number>, now: number) => Promise<Change[]>

/** Logs and counts changes after their commit: a transaction may run more than once, and so reports nothing itself. */
export type Report = (changes: readonly Change[]) => void

export interface AssessmentHooks {
  /** What else follows, in the same transaction, when an invoice changes that is not a merchant's sale. */
  readonly settle?: (rows: Rows, before: Invoice, after: Invoice) => Promise<void>
  /** The swap that an event of the invoice tells of; null when it was paid in the base coin. */
  readonly swapOf?: (rows: Rows, invoice: Invoice) => Promise<SwapInEvent | null>
}

export function createReassess({ settle, swapOf = async () => null }: AssessmentHooks = {}): Reassess {
  async function eventsOfChange(rows: Rows, { before, after }: Change, createdAt: number): Promise<NewEvent[]> {
    const event = { accountId: after.accountId, invoiceId: after.id, createdAt }
    const types = after.purpose === 'sale' ? eventsOf(before, after) : []
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
    const ids = [...new Set(invoiceIds)]
    if (ids.length === 0) return []
    const invoices = await rows.invoices.lock(ids)
    const payments = Map.groupBy(
      await rows.payments.ofInvoices(invoices.map(invoice => invoice.id)),
      payment => payment.invoiceId,
    )
    const view = await viewOf(rows, now)
    const assessed = invoices.map(before => ({
      before,
      after: { ...before, ...outcomeOf(before, payments.get(before.id) ?? [], view, now) },
    }))
    const changes = assessed.filter(isVisible)
    await rows.invoices.record(assessed.filter(differs).map(({ after }) => after))
    for (const change of changes) {
      await askProvider(rows, change, now)
      await rows.events.append(await eventsOfChange(rows, change, now))
      if (change.after.purpose !== 'sale') await settle?.(rows, change.before, change.after)
    }
    await queueMails(rows, changes, now)
    if (changes.length > 0) rows.wake('events')
    return changes
  }
}

/** One mail for each merchant whose invoices begin to need attention. Invoices of the service itself have no merchant. */
async function queueMails(rows: Rows, changes: readonly Change[], now: number): Promise<void> {
  const begun = changes.filter(
    ({ before, after }) => after.purpose === 'sale' && after.needsAttention && !before.needsAttention,
  )
  if (begun.length === 0) return
  const accounts = await rows.attentionMails.countChange(begun.map(({ after }) => after.accountId))
  await rows.mails.appendAttention(
    accounts.map(({ accountId, email, lastSentAt }) => {
      const dueAt = attentionMailDueAt(now, lastSentAt)
      return { to: email, about: 'reorged_payments', accountId, createdAt: now, dueAt }
    }),
  )
}

export function createReport({ log, meter = NO_WATCH_METER }: { log: Log; meter?: WatchMeter }): Report {
  return changes => {
    for (const { before, after } of changes) {
      if (before.needsAttention === after.needsAttention) continue
      const invoice = after.publicId.slice(0, 8)
      meter.needsAttention(after.needsAttention ? 1 : -1)
      if (after.needsAttention) log.warn({ invoice }, 'a reorganisation took back payments of a paid invoice')
      else log.info({ invoice }, 'the payments of a paid invoice are in the chain again')
    }
  }
}

type ChainView = Omit<View, 'swapUnderWay'>

/** A moment ahead of the clock cannot have been seen: a clock that was wrong has written it, so it counts as not yet. */
async function viewOf(rows: Rows, now: number): Promise<ChainView> {
  const tip = (await rows.chain.tip())?.height ?? 0
  const seenThrough = await rows.chain.seenThrough()
  return { tip, seenThrough: seenThrough > now ? 0 : seenThrough }
}

function outcomeOf(
  invoice: Invoice,
  payments: readonly PaymentRow[],
  view: ChainView,
  now: number,
): Omit<InvoiceOutcome, 'id'> {
  const assessment = assess(invoice, invoice.status, payments, { ...view, swapUnderWay: invoice.swapUnderWay })
  const { needsAttention } = assessment
  const becomes = (status: Invoice['status']) => assessment.status === status && invoice.status !== status
  return {
    ...assessment,
    paidAt: becomes('paid') ? now : invoice.paidAt,
    underpaidAt: invoice.underpaidAt ?? (becomes('underpaid') ? now : null),
    attentionSince: needsAttention && !invoice.needsAttention ? now : needsAttention ? invoice.attentionSince : null,
  }
}

function isVisible({ before, after }: Change): boolean {
  return (
    before.status !== after.status ||
    before.receivedZat !== after.receivedZat ||
    before.overpaidZat !== after.overpaidZat ||
    before.txid !== after.txid ||
    before.needsAttention !== after.needsAttention
  )
}

function differs(change: Change): boolean {
  return isVisible(change) || change.before.openUntilHeight !== change.after.openUntilHeight
}
