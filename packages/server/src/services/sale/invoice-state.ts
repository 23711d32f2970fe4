import { knownThrough } from '../../domain/chain/chain-knowledge.ts'
import { attentionMailDueAt } from '../../domain/notify/attention-mail.ts'
import { type EventSwap, invoiceEvent, type NewEvent } from '../../domain/notify/event.ts'
import { dailyPriceChanges } from '../../domain/sale/daily-price.ts'
import { dailyTotalChanges } from '../../domain/sale/daily-total.ts'
import { dueAmount, type Invoice, isClosed } from '../../domain/sale/invoice.ts'
import { invoiceEventsOf } from '../../domain/sale/invoice-event.ts'
import {
  type EvaluationContext,
  evaluateInvoice,
  type InvoicePayments,
  MAX_UNMINED_COUNTED,
} from '../../domain/sale/invoice-state.ts'
import { confirmedThrough, type Payment } from '../../domain/sale/payment.ts'
import { invoiceReference, isRowFault } from '../../domain/set-aside.ts'
import type { Log } from '../../ports/log.ts'
import { type Metrics, NO_METRICS } from '../../ports/metrics.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { Outbox } from '../notify/outbox.ts'
import { defer } from '../set-aside.ts'
import { differs, type InvoiceChange, isVisible } from './invoice-change.ts'

/** Invoices by id, read under row locks that last until the transaction ends. */
export type LockedInvoices = ReadonlyMap<number, Invoice>

/** Rows that the transaction has already locked, and values read after its locks. The update locks and reads the rest. */
export interface UpdateContext {
  readonly locked?: LockedInvoices
  /** Height of the last recorded block. */
  readonly tip?: number
  /** Height up to which blocks confirm payments, see `readTips`. */
  readonly confirmedTip?: number
  /** Unix seconds: the stored time up to which chain and mempool are known. */
  readonly syncedThrough?: number
  /** A recent mempool snapshot is recorded. Not known to anyone but chain sync: mempool payments confirm nothing otherwise. */
  readonly mempoolIsKnown?: boolean
  /** The error of the same transaction with the invoices evaluated: they are set aside, and evaluated each alone. */
  readonly deferredBy?: unknown
  /** The invoice is evaluated alone, whether it is set aside or not. An error rejects. */
  readonly isAlone?: boolean
  /** Whether a second chain server shows an unmined payment, or need not. */
  readonly isWitnessed?: (invoiceId: number, payment: Payment) => boolean
}

/**
 * Recomputes the state of invoices and writes the changes and their events in the given transaction. All triggers use
 * it: payments, blocks, rewinds and expiry.
 *
 * @param now Unix seconds.
 * @returns the invoices with a change that is visible to merchants or buyers
 */
export type UpdateInvoices = (
  tx: Tx,
  invoiceIds: Iterable<number>,
  now: number,
  context?: UpdateContext,
) => Promise<InvoiceChange[]>

/** Logs and counts changes after the commit. A transaction may run more than once, so it reports nothing itself. */
export type ReportChanges = (changes: readonly InvoiceChange[]) => void

/** At most this number of invoices is confirmed, and of transactions dropped, in one transaction. */
export const DUE_PER_STEP = 200

export interface InvoiceHooks {
  /** Called in the same transaction after an invoice for a plan or a withdrawal changes. */
  readonly applyPayment?: (tx: Tx, before: Invoice, after: Invoice) => Promise<void>
  /** Called in the same transaction with the changes of invoices of payment links. */
  readonly applyLinkChanges?: (tx: Tx, changes: readonly InvoiceChange[], now: number) => Promise<void>
  /** The swap to include in an event of the invoice; null when it is paid in the base coin. */
  readonly swapOf?: (tx: Tx, invoice: Invoice) => Promise<EventSwap | null>
}

export function createInvoiceUpdater({
  outbox,
  applyPayment,
  applyLinkChanges,
  swapOf = async () => null,
}: { readonly outbox: Outbox } & InvoiceHooks): UpdateInvoices {
  async function eventsOfChange(
    tx: Tx,
    { before, after, because }: InvoiceChange,
    createdAt: number,
  ): Promise<NewEvent[]> {
    const types = after.purpose === 'sale' ? invoiceEventsOf(before, after, because) : []
    if (types.length === 0) return []
    const swap = await swapOf(tx, after)
    return types.map(type => invoiceEvent(type, after, swap, createdAt))
  }

  /** Polls the swap of an invoice that received coins at once, so that the event can include its newest status. */
  async function pollSwapNow(tx: Tx, { before, after }: InvoiceChange, now: number): Promise<void> {
    if (after.swapId === null || after.receivedZat <= before.receivedZat) return
    await tx.swaps.pollNoLaterThan(after.id, now * 1000)
    tx.notify('swaps')
  }

  return async function updateInvoices(tx, invoiceIds, now, context = {}) {
    const ids = [...new Set(invoiceIds)].sort((a, b) => a - b)
    if (ids.length === 0) return []
    const { isAlone = false, deferredBy } = context
    const later = new Set(isAlone ? [] : await tx.setAside.invoicesAmong(ids))
    const invoices = (await lockRemaining(tx, ids, context.locked)).filter(({ id }) => !later.has(id))
    if (deferredBy !== undefined) {
      const rows = invoices.map(invoice => ({ row: invoiceReference(invoice), error: deferredBy }))
      await defer(tx, rows, now)
      return []
    }
    const view = await viewOf(tx, now, context)
    const payments = await readPayments(tx, invoices, view)
    const evaluate = (before: Invoice, chain: ChainView) => changeOf(before, payments.get(before.id)!, chain, now)
    const changed: InvoiceChange[] = []
    const failed: Parameters<typeof defer>[1][number][] = []
    for (const before of invoices) {
      try {
        changed.push(evaluate(before, view))
      } catch (error) {
        if (isAlone) throw error
        failed.push({ row: invoiceReference(before), error })
      }
    }
    await defer(tx, failed, now)
    const blind = await findBlind(tx, changed)
    const evaluated = changed.map(change =>
      blind.has(change.after.viewingKeyId) ? evaluate(change.before, { ...view, syncedThrough: 0 }) : change,
    )
    const changes = evaluated.filter(isVisible)
    await tx.invoices.updateStates(evaluated.filter(differs).map(({ after }) => after))
    await tx.dashboard.addToDailyTotals(dailyTotalChanges(changes))
    await tx.dashboard.addToDailyPrices(dailyPriceChanges(changes))
    for (const change of changes) {
      await pollSwapNow(tx, change, now)
      await outbox.append(tx, await eventsOfChange(tx, change, now))
      await outbox.invoicesChanged(tx, [change.after.id], now)
      if (change.after.purpose !== 'sale') await applyPayment?.(tx, change.before, change.after)
    }
    const ofLinks = changes.filter(({ after }) => after.linkId !== null)
    if (ofLinks.length > 0) await applyLinkChanges?.(tx, ofLinks, now)
    await queueMails(tx, changes, now)
    return changes
  }
}

/**
 * A transaction that evaluates invoices. When it fails, it runs again and sets these invoices aside, each of which is then
 * evaluated alone: one that cannot be evaluated or written does not hold up the others.
 * @param work `deferredBy` is for the context of `updateInvoices`
 */
export async function writeInvoices<T>(
  store: Pick<Store, 'write'>,
  work: (tx: Tx, deferredBy?: unknown) => Promise<T>,
): Promise<T> {
  try {
    return await store.write(tx => work(tx))
  } catch (error) {
    if (!isRowFault(error)) throw error
    return store.write(tx => work(tx, error))
  }
}

/** Locks invoices, all at once in the order of their ids, so that transactions do not deadlock. */
export async function lockInvoices(tx: Tx, ids: Iterable<number>): Promise<LockedInvoices> {
  const distinct = [...new Set(ids)]
  const invoices = distinct.length > 0 ? await tx.invoices.lock(distinct) : []
  return new Map(invoices.map(invoice => [invoice.id, invoice]))
}

/**
 * The invoices with these ids, in their order. Locks those that the caller has not: with `locked` given, only the invoice
 * of a payment that another process recorded between the caller's reads.
 */
async function lockRemaining(tx: Tx, ids: readonly number[], locked: LockedInvoices = new Map()): Promise<Invoice[]> {
  const remaining = await lockInvoices(
    tx,
    ids.filter(id => !locked.has(id)),
  )
  return ids.flatMap(id => locked.get(id) ?? remaining.get(id) ?? [])
}

/** Queues one mail for each merchant with invoices that newly need attention. Internal invoices have no merchant. */
async function queueMails(tx: Tx, changes: readonly InvoiceChange[], now: number): Promise<void> {
  const newlyAffected = changes.filter(
    ({ before, after }) => after.purpose === 'sale' && after.needsAttention && !before.needsAttention,
  )
  if (newlyAffected.length === 0) return
  const accounts = await tx.attentionMails.incrementChangeCount(newlyAffected.map(({ after }) => after.accountId))
  await tx.mails.enqueueAttention(
    accounts.map(({ accountId, email, lastSentAt }) => {
      const dueAt = attentionMailDueAt(now, lastSentAt)
      return { to: email, about: 'reorged_payments', accountId, createdAt: now, dueAt }
    }),
  )
}

export function createChangeReporter({ log, metrics = NO_METRICS }: { log: Log; metrics?: Metrics }): ReportChanges {
  return changes => {
    for (const { before, after, because } of changes) {
      const invoice = after.publicId.slice(0, 8)
      if (before.status !== after.status) {
        metrics.invoiceChanged(after.purpose, after.status)
        log.debug({ invoice, status: after.status, because }, 'the status of an invoice changed')
      }
      if (before.needsAttention === after.needsAttention) continue
      metrics.needsAttention(after.needsAttention ? 1 : -1)
      if (after.needsAttention) log.warn({ invoice, because }, 'a reorganisation removed payments of a paid invoice')
      else log.info({ invoice }, 'the payments of a paid invoice are in the chain again')
    }
  }
}

type ChainView = Omit<EvaluationContext, 'keptOpenBySwap' | 'isWitnessed'> &
  Pick<UpdateContext, 'isWitnessed'> & { readonly confirmedTip: number }

async function viewOf(tx: Tx, now: number, context: UpdateContext): Promise<ChainView> {
  const tips = await readTips(tx, context)
  const syncedThrough = context.syncedThrough ?? (await tx.chain.syncedThrough())
  const { mempoolIsKnown = false, isWitnessed } = context
  return {
    ...tips,
    syncedThrough: knownThrough(syncedThrough, now),
    mempoolIsKnown,
    ...(isWitnessed && { isWitnessed }),
  }
}

/** The last recorded height (0: none), and the one up to which two servers agree if there are several, unless given. */
export async function readTips(tx: Tx, given: Pick<UpdateContext, 'tip' | 'confirmedTip'> = {}) {
  const tip = given.tip ?? (await tx.chain.tip())?.height ?? 0
  const confirmedTip = given.confirmedTip ?? Math.min(tip, (await tx.chain.witnessedHeight()) ?? tip)
  return { tip, confirmedTip }
}

/** The sums of the payments, and the single mempool payments where these can confirm an invoice. */
async function readPayments(
  tx: Tx,
  invoices: readonly Invoice[],
  { confirmedTip, mempoolIsKnown }: ChainView,
): Promise<Map<number, InvoicePayments>> {
  const sums = await tx.payments.summaries(
    invoices.map(({ id, confirmations }) => ({ id, confirmedThrough: confirmedThrough(confirmations, confirmedTip) })),
  )
  const confirmable = invoices.filter(invoice => {
    const { minedZat, unminedZat } = sums.get(invoice.id)!
    if (!mempoolIsKnown || invoice.confirmations > 0 || invoice.status === 'paid') return false
    return dueAmount(invoice, minedZat + unminedZat) === 0n
  })
  const ids = confirmable.map(({ id }) => id)
  const unmined = ids.length > 0 ? await tx.payments.firstUnmined(ids, MAX_UNMINED_COUNTED) : []
  const byInvoice = Map.groupBy(unmined, ({ invoiceId }) => invoiceId)
  return new Map(invoices.map(({ id }) => [id, { ...sums.get(id)!, firstUnmined: byInvoice.get(id) ?? [] }]))
}

function changeOf(
  before: Invoice,
  payments: InvoicePayments,
  { isWitnessed = () => true, confirmedTip: _, ...view }: ChainView,
  now: number,
): InvoiceChange {
  const { because, ...state } = evaluateInvoice(before, before.status, payments, {
    ...view,
    keptOpenBySwap: before.keptOpenBySwap,
    isWitnessed: payment => isWitnessed(before.id, payment),
  })
  const { needsAttention } = state
  const becomes = (status: Invoice['status']) => state.status === status && before.status !== status
  const after: Invoice = {
    ...before,
    ...state,
    paidAt: becomes('paid') ? now : before.paidAt,
    underpaidAt: before.underpaidAt ?? (becomes('underpaid') ? now : null),
    lateAt: before.lateAt ?? (isClosed(before.status) && state.receivedZat > before.receivedZat ? now : null),
    attentionSince: needsAttention && !before.needsAttention ? now : needsAttention ? before.attentionSince : null,
  }
  return { before, after, because }
}

/** The viewing keys whose payments are not seen, of invoices that would close: these stay open. */
async function findBlind(tx: Tx, changes: readonly InvoiceChange[]): Promise<ReadonlySet<number>> {
  const isClosing = changes.some(({ before, after }) => isClosed(after.status) && !isClosed(before.status))
  return new Set(isClosing ? await tx.setAside.scanKeyIds() : [])
}
