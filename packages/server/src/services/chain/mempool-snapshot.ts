import {
  type Conclusions,
  conclude,
  type ListState,
  listState,
  mempoolIsKnown,
  NOTHING_KNOWN,
  type Observation,
  observe,
  recordedThrough,
} from '../../domain/chain/chain-knowledge.ts'
import type { ChainProblem } from '../../domain/chain/chain-problem.ts'
import { type ChainTime, clockAgreesWithChain } from '../../domain/chain/clock-agreement.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import type { Payment } from '../../domain/sale/payment.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { DecryptedNote } from '../../ports/note-scanner.ts'
import type { PaymentRow, UnminedCursor } from '../../ports/repository/sale/payment.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { InvoiceChange } from '../sale/invoice-change.ts'
import { lockInvoices, type ReportChanges, type UpdateInvoices, writeInvoices } from '../sale/invoice-state.ts'
import {
  compareWithList,
  invoiceIdsOf,
  matchInvoices,
  observeMempool,
  recordPayments,
  viewingKeysOf,
} from '../sale/payment.ts'
import type { PaymentWrite, WritePayments } from '../sale/payment-write.ts'
import { checkClock } from './clock-check.ts'

/** Mempool transactions, with all notes decrypted from them with the watched keys. */
export interface ScannedMempool {
  readonly notes: readonly DecryptedNote[]
  /** nExpiryHeight by txid, if known. */
  readonly expiryHeights: ReadonlyMap<string, number>
}

/** The complete mempool of one server, read before the blocks up to the server's tip. */
export interface MempoolSnapshot extends ScannedMempool, Conclusions {
  /** Ids of all transactions in the mempool. */
  readonly txids: ReadonlySet<string>
  /** The last payment sequence number before the mempool was requested. Later payments may be absent from it. */
  readonly lastSeq: number
}

/** Payments that one transaction records, and that it compares. */
const PAGE = 2_000
/** Invoices that one transaction evaluates again. */
const INVOICES_PER_STEP = 500

export interface SnapshotRecorder {
  /** Adds an observation to the knowledge of this process. Those about recording are the recorder's own. */
  see(observation: Observation): void
  /** The conclusions to record with the list of the last sync, once its blocks are read. */
  conclude(problems: readonly ChainProblem[]): Conclusions
  mempoolIsKnown(now: number): boolean
  /**
   * Records the list of the last sync: the payments in the mempool and the known payments absent from it, in several
   * transactions when there are very many. Drops those that one server's lists lack for two minutes and a new block.
   * Advances the synced time, unless the block times show a stalled server or a wrong clock.
   */
  recordSnapshot(snapshot: MempoolSnapshot): Promise<RecordedSnapshot>
}

export interface RecordedSnapshot {
  readonly time: ChainTime
  /** The synced time that was recorded, in Unix seconds; null: none. */
  readonly syncedThrough: number | null
}

/** The notes to record next, and the unmined payments to compare next. */
interface Position {
  readonly notes: number
  readonly after: UnminedCursor | null
}

interface StepResult extends RecordedSnapshot {
  readonly changes: readonly InvoiceChange[]
  /** Ids of the evaluated invoices. */
  readonly evaluated: readonly number[]
  /** Sequence numbers of payments that no second server has shown. */
  readonly waiting: readonly number[]
  /** Null: the snapshot is recorded. */
  readonly next: Position | null
}

export function createSnapshotRecorder(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
  readonly params: ConsensusParams
  readonly isWitnessed: (invoiceId: number, payment: Payment) => boolean
  readonly writePayments: WritePayments
}): SnapshotRecorder {
  const { store, writePayments, updateInvoices, reportChanges, clock, params, isWitnessed } = deps
  let known = NOTHING_KNOWN
  const see = (observation: Observation) => {
    known = observe(known, observation)
  }
  const isShownTwice = ({ invoiceId, ...payment }: PaymentRow) => isWitnessed(invoiceId, payment)

  /** Records a page of notes. After the last one, compares a page of unmined payments, all pages one after another. */
  async function recordStep(
    tx: Tx,
    snapshot: MempoolSnapshot,
    at: Position,
    context: ListState & { readonly now: number },
    { deferredBy, ...write }: PaymentWrite,
  ): Promise<StepResult> {
    const { now, isRecent } = context
    await tx.chain.lock()
    const { tip: newest, chainTime: time, agrees } = await checkClock(tx, params, now)
    const tip = newest?.height ?? 0
    const unmined = snapshot.notes.slice(at.notes, at.notes + PAGE).map(note => ({ note }))
    const matched = await matchInvoices(tx, observeMempool(unmined, snapshot.expiryHeights, params, { tip, now }))
    const compares = at.notes + PAGE >= snapshot.notes.length
    const before = compares ? await tx.payments.listMempool(PAGE, at.after) : []
    const locked = await lockInvoices(tx, [
      ...invoiceIdsOf(matched),
      ...invoiceIdsOf(before),
      ...(await payeesOnOtherPages(tx, before, snapshot, at)),
    ])
    const leftOut = new Set([...write.leftOut(viewingKeysOf(locked)), ...(await tx.setAside.keysMissingBlocks())])
    const paid = await recordPayments(tx, matched, locked, now, { leftOut })
    // Read again: under the locks, and with the payments of this snapshot.
    const page = compares && isRecent && locked.size > 0 ? await tx.payments.listMempool(PAGE, at.after) : []
    const recorded = page.filter(({ invoiceId }) => {
      const invoice = locked.get(invoiceId)
      return invoice !== undefined && !leftOut.has(invoice.viewingKeyId)
    })
    const list = { ...snapshot, ...context, clockIsRight: agrees, tip }
    const compared = await compareWithList(tx, recorded, list, leftOut)
    const next = nextPosition(snapshot, at, page)
    const syncedThrough = next === null ? recordedThrough(snapshot, time, now) : null
    if (syncedThrough !== null) await tx.chain.setSyncedThrough(syncedThrough, now)
    const newlyWitnessed = recorded.filter(payment => known.unwitnessed.has(payment.seq) && isShownTwice(payment))
    const evaluated = [...paid, ...compared, ...invoiceIdsOf(newlyWitnessed)]
    const waiting = recorded.filter(payment => !isShownTwice(payment)).map(({ seq }) => seq)
    // Until all payments are compared, some may count as present that have left the mempool.
    const evaluation = { locked, tip, mempoolIsKnown: isRecent && next === null, isWitnessed, deferredBy }
    const changes = await updateInvoices(tx, evaluated, now, evaluation)
    return { time, syncedThrough, evaluated, waiting, next, changes }
  }

  return {
    see,
    conclude: problems => conclude(known, problems),
    mempoolIsKnown: now => mempoolIsKnown(known, now),

    async recordSnapshot(snapshot) {
      const now = nowSecs(clock)
      const context = { ...listState(known, now), now }
      const write = (at: Position) =>
        writePayments((tx, paymentWrite) => recordStep(tx, snapshot, at, context, paymentWrite))
      const waiting: number[] = []
      const again = new Set<number>()
      let step = await write({ notes: 0, after: null })
      for (;;) {
        reportChanges(step.changes)
        for (const seq of step.waiting) waiting.push(seq)
        const { next } = step
        if (next === null) break
        // Should a step fail, the next snapshot evaluates every invoice with a payment in the mempool.
        see({ type: 'page_recorded' })
        for (const id of step.evaluated) again.add(id)
        step = await write(next)
      }
      const { isRecent } = context
      const ids = [...again]
      for (let start = 0; isRecent && start < ids.length; start += INVOICES_PER_STEP) {
        const some = ids.slice(start, start + INVOICES_PER_STEP)
        reportChanges(
          await writeInvoices(store, (tx, deferredBy) =>
            updateInvoices(tx, some, now, { mempoolIsKnown: true, isWitnessed, deferredBy }),
          ),
        )
      }
      const { time, syncedThrough } = step
      const clockAgrees = clockAgreesWithChain(time)
      const unwitnessed = new Set(waiting)
      see({ type: 'snapshot_recorded', at: nowSecs(clock), clockAgrees, compared: isRecent, unwitnessed })
      return { time, syncedThrough }
    },
  }
}

function nextPosition(snapshot: MempoolSnapshot, at: Position, page: readonly PaymentRow[]): Position | null {
  if (at.notes + PAGE < snapshot.notes.length) return { notes: at.notes + PAGE, after: null }
  const newest = page.at(-1)
  return newest && page.length === PAGE ? { notes: snapshot.notes.length, after: newest } : null
}

/** The invoices on other pages that the vanished transactions of a page pay: a transaction is dropped as a whole. */
async function payeesOnOtherPages(
  tx: Tx,
  page: readonly PaymentRow[],
  { txids }: MempoolSnapshot,
  { after }: Position,
): Promise<number[]> {
  if (after === null && page.length < PAGE) return []
  const vanished = new Set(page.map(({ txid }) => txid).filter(txid => !txids.has(txid)))
  return vanished.size > 0 ? tx.payments.invoicesOfUnmined([...vanished]) : []
}
