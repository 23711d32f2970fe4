import type { Block, BlockProblem, Header } from '../../domain/chain/chain.ts'
import { checkContinuity } from '../../domain/chain/chain.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import { canContainPayment } from '../../domain/sale/payment.ts'
import { type Clock, nowSecs } from '../../ports/clock.ts'
import type { DecryptedNote } from '../../ports/note-scanner.ts'
import type { Store, Tx } from '../../ports/store.ts'
import type { InvoiceChange } from '../sale/invoice-change.ts'
import {
  DUE_PER_STEP,
  type LockedInvoices,
  lockInvoices,
  type ReportChanges,
  readTips,
  type UpdateContext,
  type UpdateInvoices,
  writeInvoices,
} from '../sale/invoice-state.ts'
import {
  dropTransactions,
  invoiceIdsOf,
  matchInvoices,
  observeMempool,
  observeMined,
  recordPayments,
  viewingKeysOf,
} from '../sale/payment.ts'
import { createPaymentWriter, type PaymentWrite } from '../sale/payment-write.ts'
import type { SetAsides } from '../set-aside.ts'
import { createSnapshotRecorder, type ScannedMempool, type SnapshotRecorder } from './mempool-snapshot.ts'
import type { Witnesses } from './witness.ts'

/** Blocks in order, with all notes decrypted from them with the watched keys. */
export interface ScannedBlocks {
  readonly blocks: readonly Block[]
  readonly notes: readonly DecryptedNote[]
  /** References of scan keys that were set aside and left out. Default: none. */
  readonly leftOut?: readonly string[]
}

/** The first block that does not follow the recorded chain, and the reason. */
export interface ChainMismatch {
  readonly height: number
  readonly problem: BlockProblem
}

/**
 * Records what chain sync observes. Each function is one transaction, events included. It locks the chain (except
 * `recordMempool`, which writes no chain data), then all invoices concerned at once, in the order of their ids.
 */
export interface ChainRecorder extends Omit<SnapshotRecorder, 'mempoolIsKnown'> {
  /**
   * Records blocks that follow the last recorded block, their payments, and the resulting invoice changes. The first
   * blocks in an empty database are accepted unchecked. If a block does not follow, nothing is written and the mismatch
   * is returned.
   */
  recordBlocks(read: ScannedBlocks): Promise<ChainMismatch | null>
  /**
   * Records the changes by the last recorded block that no transaction has recorded yet: payments that it confirms, and
   * transactions that expire. `recordBlocks` includes them; a process that stopped, or a second server, leaves some.
   */
  recordDue(): Promise<void>
  /** Records payments that are not yet in a block. */
  recordMempool(seen: ScannedMempool): Promise<void>
  /** The knowledge of mempool payments, to evaluate invoices in other transactions. @param now Unix seconds */
  mempoolView(now: number): Pick<UpdateContext, 'mempoolIsKnown' | 'isWitnessed'>
  /** Sequence number of the last recorded payment; 0 before the first. */
  lastSeq(): Promise<number>
  /**
   * Records payments found by a rescan of recorded blocks. Blocks, position and known payments are unchanged. With several
   * servers the payments are not confirmed until a second one shows them (`Witnesses.recordRescanned`).
   * @param options.isAlone the notes are of one viewing key. A payment that cannot be written rejects
   */
  recordRescanned(
    read: ScannedBlocks,
    options?: { readonly isAlone?: boolean },
  ): Promise<{ readonly found: number; readonly mismatch: ChainMismatch | null }>
}

export function createChainRecorder(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
  readonly params: ConsensusParams
  /** Default: an unmined payment needs no second server. */
  readonly witnesses?: Pick<Witnesses, 'isWitnessed'>
  /** Default: a payment that cannot be written rejects. */
  readonly setAsides?: Pick<SetAsides, 'put' | 'report'>
}): ChainRecorder {
  const { store, updateInvoices, reportChanges, clock, params } = deps
  const { isWitnessed } = deps.witnesses ?? { isWitnessed: () => true }
  const writePayments = createPaymentWriter(deps)
  const { mempoolIsKnown, ...snapshots } = createSnapshotRecorder({ ...deps, writePayments, isWitnessed })

  async function recordBlocks({ blocks, notes, leftOut = [] }: ScannedBlocks): Promise<ChainMismatch | null> {
    const now = nowSecs(clock)
    const observed = observeMined(blocks, notes, params, now)
    const newest = blocks.at(-1)
    if (!newest) return null
    const written = await writePayments(async (tx, { deferredBy, ...write }) => {
      await tx.chain.lock()
      const tip = await tx.chain.tip()
      const mismatch = findMismatch(tip, blocks)
      if (mismatch) return mismatch
      // A key that opened meanwhile missed these blocks: they are read again, with it.
      if (leftOut.length > 0 && !(await areSetAside(tx, leftOut))) return staleKeys(blocks)
      await tx.chain.appendHeaders(blocks)
      // No block below the first one is read for any key.
      if (!tip) await tx.setAside.raiseFromHeights(blocks[0]?.height ?? 0)
      const matched = await matchInvoices(tx, observed)
      const due = await findDue(tx, newest.height)
      const locked = await lockInvoices(tx, [...invoiceIdsOf(matched), ...due.invoiceIds])
      const step = { locked, leftOut: write.leftOut(viewingKeysOf(locked)), tip: newest.height, now, deferredBy }
      const paid = await recordPayments(tx, matched, locked, now, step)
      return { due, changes: await recordStep(tx, due, { ...step, paid }) }
    })
    if ('height' in written) return written
    reportChanges(written.changes)
    if (written.due.hasMore) await recordDue()
    return null
  }

  /** Drops the expired transactions, and evaluates the invoices concerned. */
  async function recordStep(tx: Tx, due: DueChanges, { paid, leftOut, now, ...step }: Step): Promise<InvoiceChange[]> {
    const dropped = await dropTransactions(tx, due.expiredTxids, leftOut)
    const { confirmedTip } = due
    const context = { ...step, confirmedTip, mempoolIsKnown: mempoolIsKnown(now), isWitnessed }
    return updateInvoices(tx, [...paid, ...dropped, ...due.confirmable], now, context)
  }

  async function recordDue(): Promise<void> {
    const isDue = await store.read(async tx => {
      const tip = (await tx.chain.tip())?.height
      return tip !== undefined && (await findDue(tx, tip)).invoiceIds.length > 0
    })
    for (let hasMore = isDue; hasMore; ) {
      const now = nowSecs(clock)
      const step = await writePayments(async (tx, { deferredBy, ...write }) => {
        await tx.chain.lock()
        const tip = (await tx.chain.tip())?.height ?? 0
        const due = await findDue(tx, tip)
        const locked = await lockInvoices(tx, due.invoiceIds)
        const leftOut = write.leftOut(viewingKeysOf(locked))
        return { due, changes: await recordStep(tx, due, { locked, paid: [], leftOut, tip, now, deferredBy }) }
      })
      reportChanges(step.changes)
      hasMore = step.due.hasMore
    }
  }

  async function recordMempool({ notes, expiryHeights }: ScannedMempool): Promise<void> {
    const now = nowSecs(clock)
    const changes = await writePayments(async (tx, { deferredBy, ...write }) => {
      const waiting = new Set(await tx.setAside.keysMissingBlocks())
      const matched = await matchInvoices(
        tx,
        notes.filter(note => !waiting.has(note.viewingKeyId)).map(note => ({ note })),
      )
      const locked = await lockInvoices(tx, invoiceIdsOf(matched))
      if (locked.size === 0) return []
      // Read after the lock: blocks may be recorded during the wait for it.
      const tip = (await tx.chain.tip())?.height ?? 0
      const observed = observeMempool(matched, expiryHeights, params, { tip, now })
      const leftOut = write.leftOut(viewingKeysOf(locked))
      const paid = await recordPayments(tx, observed, locked, now, { leftOut })
      const context = { locked, tip, mempoolIsKnown: mempoolIsKnown(now), isWitnessed, deferredBy }
      return updateInvoices(tx, paid, now, context)
    })
    reportChanges(changes)
  }

  const recordRescanned: ChainRecorder['recordRescanned'] = async ({ blocks, notes }, { isAlone = false } = {}) => {
    const now = nowSecs(clock)
    const observed = observeMined(blocks, notes, params, now)
    const work = async (tx: Tx, { deferredBy, ...write }: PaymentWrite) => {
      await tx.chain.lock()
      const tip = (await tx.chain.tip())?.height ?? null
      const mismatch = await findUnrecorded(tx, tip, blocks)
      if (mismatch) return mismatch
      const matched = await matchInvoices(tx, observed)
      const locked = await lockInvoices(tx, invoiceIdsOf(matched))
      const rewinds = locked.size > 0 ? await tx.chain.rewinds() : []
      const possible = matched.filter(({ invoiceId, height }) => {
        const invoice = locked.get(invoiceId)
        return invoice !== undefined && canContainPayment(invoice, height, rewinds)
      })
      // Two servers have agreed about these blocks without the payments, so the payments are compared on their own.
      const awaitsWitness = (await tx.chain.witnessedHeight()) !== null
      const leftOut = write.leftOut(viewingKeysOf(locked))
      const paid = await recordPayments(tx, possible, locked, now, { awaitsWitness, leftOut })
      return updateInvoices(tx, paid, now, { locked, tip: tip ?? 0, deferredBy })
    }
    const fromHeight = blocks[0]?.height ?? 0
    const written = await (isAlone
      ? writeInvoices(store, (tx, deferredBy) => work(tx, { deferredBy, leftOut: () => new Set() }))
      : writePayments(work, { fromHeight }))
    if ('height' in written) return { found: 0, mismatch: written }
    reportChanges(written)
    return { found: written.length, mismatch: null }
  }

  return {
    ...snapshots,
    recordBlocks,
    recordDue,
    recordMempool,
    mempoolView: now => ({ mempoolIsKnown: mempoolIsKnown(now), isWitnessed }),
    lastSeq: () => store.query(tx => tx.payments.lastSeq()),
    recordRescanned,
  }
}

/** Whether all keys that were left out of a scan will get its blocks later. */
async function areSetAside(tx: Tx, references: readonly string[]): Promise<boolean> {
  const missing = new Set(await tx.setAside.missingBlocks())
  return references.every(reference => missing.has(reference))
}

function staleKeys([first]: readonly Block[]): ChainMismatch {
  const height = first?.height ?? 0
  return { height, problem: { problem: 'gap', expected: height } }
}

function findMismatch(tip: Header | null, blocks: readonly Block[]): ChainMismatch | null {
  let previous = tip
  for (const block of blocks) {
    const problem = previous && checkContinuity(previous, block)
    if (problem) return { height: block.height, problem }
    previous = block
  }
  return null
}

/** The first block that is not recorded or differs from the recorded block at its height. */
async function findUnrecorded(tx: Tx, tip: number | null, blocks: readonly Block[]): Promise<ChainMismatch | null> {
  const oldest = await tx.chain.oldestHeight()
  for (const block of blocks) {
    const { height, hash } = block
    const ours = await tx.chain.headerAt(height)
    const recorded = tip !== null && oldest !== null && height <= tip && (ours !== null || height < oldest)
    if (!recorded) return { height, problem: { problem: 'gap', expected: tip ?? 0 } }
    if (ours && ours.hash !== hash) return { height, problem: { problem: 'fork' } }
    // A server that hides outputs of a block that is read again.
    const below = ours && (await tx.chain.headerAt(height - 1))
    const problem = below && checkContinuity(below, block)
    if (problem) return { height, problem }
  }
  return null
}

/** Changes by the last recorded block. They are found in the database, so that none is lost when a process stops. */
interface DueChanges {
  /** Ids of invoices that the block may confirm. */
  readonly confirmable: readonly number[]
  readonly expiredTxids: readonly string[]
  /** Ids of all invoices concerned. */
  readonly invoiceIds: readonly number[]
  readonly confirmedTip: number
  readonly hasMore: boolean
}

interface Step {
  readonly locked: LockedInvoices
  /** Ids of the invoices with a payment in the step's blocks. */
  readonly paid: readonly number[]
  /** Viewing keys whose payments are not written. */
  readonly leftOut: ReadonlySet<number>
  readonly tip: number
  readonly now: number
  /** See `writeInvoices`. */
  readonly deferredBy?: unknown
}

async function findDue(tx: Tx, tip: number): Promise<DueChanges> {
  const { confirmedTip } = await readTips(tx, { tip })
  const confirmable = await tx.invoices.confirmable(confirmedTip, DUE_PER_STEP)
  const expired = await tx.payments.expiredUnmined(tip, DUE_PER_STEP)
  return {
    confirmable,
    expiredTxids: expired.txids,
    invoiceIds: [...confirmable, ...expired.invoiceIds],
    confirmedTip,
    hasMore: confirmable.length === DUE_PER_STEP || expired.txids.length === DUE_PER_STEP,
  }
}
