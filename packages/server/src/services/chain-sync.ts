import type { Block, BlockProblem, Header } from '../domain/chain.ts'
import { checkContinuity } from '../domain/chain.ts'
import { type ChainTime, chainTime, clockAgreesWithChain, MEDIAN_BLOCKS } from '../domain/chain-time.ts'
import type { ConsensusParams } from '../domain/network-upgrade.ts'
import { canContainPayment, isRecentSnapshot, isTransactionExpired } from '../domain/payment.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { DecryptedNote } from '../ports/note-scanner.ts'
import type { PaymentRow } from '../ports/repository/payment.ts'
import type { Store, Tx } from '../ports/store.ts'
import {
  findAwaitingConfirmation,
  lockInvoices,
  type ReportChanges,
  type UpdateInvoices,
  writeInvoices,
} from './invoice-state.ts'
import {
  compareWithSnapshot,
  dropPayments,
  invoiceIdsOf,
  matchInvoices,
  observeMempool,
  observeMined,
  recordPayments,
} from './payment.ts'
import type { Witnesses } from './witness.ts'

/** Blocks in order, with all notes decrypted from them with the watched keys. */
export interface ScannedBlocks {
  readonly blocks: readonly Block[]
  readonly notes: readonly DecryptedNote[]
  /** References of scan keys that were set aside and left out. Default: none. */
  readonly leftOut?: readonly string[]
}

/** Mempool transactions, with all notes decrypted from them with the watched keys. */
export interface ScannedMempool {
  readonly notes: readonly DecryptedNote[]
  /** nExpiryHeight by txid, if known. */
  readonly expiryHeights: ReadonlyMap<string, number>
}

/** The complete mempool of one server, read before the blocks up to the server's tip. */
export interface MempoolSnapshot extends ScannedMempool {
  /** Ids of all transactions in the mempool. */
  readonly txids: ReadonlySet<string>
  /** Unix seconds: when the mempool was requested. */
  readonly readAt: number
  /** The last payment sequence number before the mempool was requested. Later payments may be absent from it. */
  readonly lastSeq: number
  /** Changes with each server and each session. Absence from one server says nothing about another. */
  readonly serverEpoch: number
  /** Unix seconds: chain and mempool are completely known up to this time. Null: this snapshot does not prove it. */
  readonly syncedThrough: number | null
  /**
   * False when the list may be old, and when the chain was rewound during the reading: payments mined at that time were
   * not in the mempool.
   */
  readonly provesMissing: boolean
  /**
   * Ids of the transactions in this list, and in those that were read since the last snapshot that proved absences and not
   * recorded: these were not missing all the time. Null: any transaction may have been in such a list.
   */
  readonly uncompared: ReadonlySet<string> | null
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
export interface ChainRecorder {
  /**
   * Records blocks that follow the last recorded block, their payments, and the resulting invoice changes. The first
   * blocks in an empty database are accepted unchecked. If a block does not follow, nothing is written and the mismatch
   * is returned.
   */
  recordBlocks(read: ScannedBlocks): Promise<ChainMismatch | null>
  /** Records payments that are not yet in a block. */
  recordMempool(seen: ScannedMempool): Promise<void>
  /** Sequence number of the last recorded payment; 0 before the first. */
  lastSeq(): Promise<number>
  /**
   * Records a complete reading of chain and mempool: the payments in the mempool and the known payments absent from it.
   * Drops payments that are absent from one server's readings for `DROP_AFTER_MISSING_SECS` and a new block. Advances
   * `syncedThrough`, unless the block times show a stalled server or a wrong clock.
   */
  recordSnapshot(snapshot: MempoolSnapshot): Promise<ChainTime>
  /**
   * Records payments found by a rescan of recorded blocks. Blocks, position and known payments are unchanged. With several
   * servers the payments are not confirmed until a second one shows them (`Witnesses.recordRescanned`).
   */
  recordRescanned(read: ScannedBlocks): Promise<{ readonly found: number; readonly mismatch: ChainMismatch | null }>
}

export function createChainRecorder(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
  readonly params: ConsensusParams
  /** Default: an unmined payment needs no second server. */
  readonly witnesses?: Pick<Witnesses, 'isWitnessed'>
}): ChainRecorder {
  const { store, updateInvoices, reportChanges, clock, params } = deps
  const { isWitnessed } = deps.witnesses ?? { isWitnessed: () => true }
  /**
   * The last recorded snapshot. In memory only: since when a payment is missing is stored, but the absence counts only
   * between snapshots of one server. After a restart or a change of the server the wait starts again, so a payment is
   * dropped later, never earlier. Until the next snapshot, mempool payments confirm nothing.
   */
  let last: Pick<MempoolSnapshot, 'serverEpoch' | 'readAt'> | null = null
  /** Unmined payments of the last snapshot that no second server has shown yet, by sequence number. */
  let unwitnessed: ReadonlySet<number> = new Set()

  function mempoolIsKnown(now: number): boolean {
    return last !== null && isRecentSnapshot(last.readAt, now)
  }

  async function recordBlocks({ blocks, notes, leftOut = [] }: ScannedBlocks): Promise<ChainMismatch | null> {
    const now = nowSecs(clock)
    const observed = observeMined(blocks, notes, params, now)
    const newest = blocks.at(-1)
    if (!newest) return null
    const written = await writeInvoices(store, async (tx, deferredBy) => {
      await tx.chain.lock()
      const mismatch = findMismatch(await tx.chain.tip(), blocks)
      if (mismatch) return mismatch
      // A key that opened meanwhile missed these blocks: they are read again, with it.
      if (leftOut.length > 0 && !(await areSetAside(tx, leftOut))) return staleKeys(blocks)
      await tx.chain.appendHeaders(blocks)
      const matched = await matchInvoices(tx, observed)
      const awaiting = await findAwaitingConfirmation(tx)
      const expired = findExpired(await tx.payments.listMempool(), newest.height)
      const locked = await lockInvoices(tx, [...invoiceIdsOf(matched), ...awaiting, ...invoiceIdsOf(expired)])
      const paid = await recordPayments(tx, matched, locked, now)
      const dropped = await dropPayments(tx, expired)
      const context = { locked, tip: newest.height, mempoolIsKnown: mempoolIsKnown(now), isWitnessed, deferredBy }
      return updateInvoices(tx, [...paid, ...dropped, ...awaiting], now, context)
    })
    if ('height' in written) return written
    reportChanges(written)
    return null
  }

  async function recordMempool({ notes, expiryHeights }: ScannedMempool): Promise<void> {
    const now = nowSecs(clock)
    const changes = await writeInvoices(store, async (tx, deferredBy) => {
      const matched = await matchInvoices(
        tx,
        notes.map(note => ({ note })),
      )
      const locked = await lockInvoices(tx, invoiceIdsOf(matched))
      if (locked.size === 0) return []
      // Read after the lock: blocks may be recorded during the wait for it.
      const tip = (await tx.chain.tip())?.height ?? 0
      const observed = observeMempool(matched, expiryHeights, params, { tip, now })
      const paid = await recordPayments(tx, observed, locked, now)
      const context = { locked, tip, mempoolIsKnown: mempoolIsKnown(now), isWitnessed, deferredBy }
      return updateInvoices(tx, paid, now, context)
    })
    reportChanges(changes)
  }

  async function recordSnapshot(snapshot: MempoolSnapshot): Promise<ChainTime> {
    const now = nowSecs(clock)
    const { txids, lastSeq, serverEpoch, readAt, expiryHeights, uncompared } = snapshot
    const sameServer = serverEpoch === last?.serverEpoch
    const isFirst = !mempoolIsKnown(now)
    // An old snapshot must not replace a newer one of another process.
    const isRecent = isRecentSnapshot(readAt, now)
    const { time, waiting, changes } = await writeInvoices(store, async (tx, deferredBy) => {
      await tx.chain.lock()
      const newest = await tx.chain.newestHeaders(MEDIAN_BLOCKS)
      const tip = newest[0]?.height ?? 0
      const time = chainTime(params, newest, now)
      const unmined = snapshot.notes.map(note => ({ note }))
      const matched = await matchInvoices(tx, observeMempool(unmined, expiryHeights, params, { tip, now }))
      const unminedBefore = await tx.payments.listMempool()
      const locked = await lockInvoices(tx, [...invoiceIdsOf(matched), ...invoiceIdsOf(unminedBefore)])
      const paid = await recordPayments(tx, matched, locked, now)
      // Read again: under the locks, and with the payments of this snapshot.
      const recorded = isRecent && locked.size > 0 ? await tx.payments.listMempool() : []
      const compared = await compareWithSnapshot(
        tx,
        recorded.filter(({ invoiceId }) => locked.has(invoiceId)),
        {
          txids,
          provesMissing: ({ seq }) => snapshot.provesMissing && seq <= lastSeq,
          wasMissing: ({ txid }) => sameServer && uncompared !== null && !uncompared.has(txid),
          isFirst,
          clockIsRight: clockAgreesWithChain(time),
          now,
          tip,
        },
      )
      if (time.state === 'ok' && snapshot.syncedThrough !== null)
        await tx.chain.setSyncedThrough(snapshot.syncedThrough, now)
      const context = { locked, tip, mempoolIsKnown: isRecent, isWitnessed, deferredBy }
      const witnessed = ({ invoiceId, ...payment }: PaymentRow) => isWitnessed(invoiceId, payment)
      const newlyWitnessed = recorded.filter(payment => unwitnessed.has(payment.seq) && witnessed(payment))
      const ids = [...paid, ...compared, ...invoiceIdsOf(newlyWitnessed)]
      const waiting = recorded.filter(payment => !witnessed(payment)).map(({ seq }) => seq)
      return { time, waiting, changes: await updateInvoices(tx, ids, now, context) }
    })
    unwitnessed = new Set(waiting)
    last = isRecent ? { serverEpoch, readAt } : null
    reportChanges(changes)
    return time
  }

  async function recordRescanned({ blocks, notes }: ScannedBlocks) {
    const now = nowSecs(clock)
    const observed = observeMined(blocks, notes, params, now)
    const written = await writeInvoices(store, async (tx, deferredBy) => {
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
      const paid = await recordPayments(tx, possible, locked, now, { awaitsWitness })
      return updateInvoices(tx, paid, now, { locked, tip: tip ?? 0, deferredBy })
    })
    if ('height' in written) return { found: 0, mismatch: written }
    reportChanges(written)
    return { found: written.length, mismatch: null }
  }

  return {
    recordBlocks,
    recordMempool,
    lastSeq: () => store.query(tx => tx.payments.lastSeq()),
    recordSnapshot,
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
  for (const { height, hash } of blocks) {
    const ours = await tx.chain.headerAt(height)
    const recorded = tip !== null && oldest !== null && height <= tip && (ours !== null || height < oldest)
    if (!recorded) return { height, problem: { problem: 'gap', expected: tip ?? 0 } }
    if (ours && ours.hash !== hash) return { height, problem: { problem: 'fork' } }
  }
  return null
}

/** The payments that no block above `tip` can contain, with all others of their transactions. */
function findExpired(unmined: readonly PaymentRow[], tip: number): PaymentRow[] {
  const txids = new Set(
    unmined.filter(({ expiryHeight }) => isTransactionExpired(expiryHeight, tip)).map(({ txid }) => txid),
  )
  return unmined.filter(({ txid }) => txids.has(txid))
}
