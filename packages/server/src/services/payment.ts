import type { Block, BlockProblem, Header } from '../domain/chain.ts'
import { checkContinuity, isPaymentPool } from '../domain/chain.ts'
import { type ChainTime, chainTime, clockAgreesWithChain, MEDIAN_BLOCKS } from '../domain/chain-time.ts'
import type { PaymentLocation } from '../domain/invoice.ts'
import { MAX_ZAT } from '../domain/money.ts'
import type { ConsensusParams } from '../domain/network-upgrade.ts'
import { canHoldPayment, hasVanished, isTransactionExpired, isWatched } from '../domain/payment.ts'
import { MAX_DIVERSIFIER_INDEX } from '../domain/viewing-key.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { DecryptedNote } from '../ports/note-scanner.ts'
import type { Invoice } from '../ports/repository/invoice.ts'
import type { NewPayment, PaymentRow } from '../ports/repository/payment.ts'
import type { Store, Tx } from '../ports/store.ts'
import type { ReportChanges, UpdateInvoices } from './invoice-state.ts'

/** Blocks in order, with all notes decrypted from them with the watched keys. */
export interface ScannedBlocks {
  readonly blocks: readonly Block[]
  readonly notes: readonly DecryptedNote[]
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
  /** The last payment sequence number before the mempool was requested. Later payments may be absent from it. */
  readonly lastSeq: number
  /** Changes with each server and each session. Absence from one server says nothing about another. */
  readonly serverEpoch: number
  /** Unix seconds: chain and mempool are completely known up to this time. Null: this snapshot does not prove it. */
  readonly syncedThrough: number | null
  /** False when the chain was rewound during the reading: payments mined at that time were not in the mempool. */
  readonly provesMissing: boolean
}

/** The first block that does not follow the recorded chain, and the reason. */
export interface ChainMismatch {
  readonly height: number
  readonly problem: BlockProblem
}

/** Records what chain sync observes. Each function is one transaction, events included. */
export interface Payments {
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
   * Drops payments that are absent from one server's readings for `MISSING_SECS` and a new block. Advances
   * `syncedThrough`, unless the block times show a stalled server or a wrong clock.
   */
  recordSnapshot(snapshot: MempoolSnapshot): Promise<ChainTime>
  /** Records payments found by a rescan of recorded blocks. Blocks, position and known payments are unchanged. */
  recordRescanned(read: ScannedBlocks): Promise<{ readonly found: number; readonly mismatch: ChainMismatch | null }>
  /** Expires invoices with `expiresAt` up to `syncedThrough`. Returns their number; `limit` means there may be more. */
  expireDue(limit: number): Promise<number>
}

interface ObservedPayment {
  readonly note: DecryptedNote
  readonly location: PaymentLocation
  /** Unix seconds: of the block, or of the clock for the mempool. */
  readonly time: number
  readonly expiryHeight: number | null
  /** Height of the block, or of the last recorded block for the mempool. */
  readonly height: number
}

interface Matched {
  readonly observation: ObservedPayment
  readonly invoice: Invoice
}

const AWAITING_PAGE = 1_000

export function createPayments(deps: {
  readonly store: Store
  readonly updateInvoices: UpdateInvoices
  readonly reportChanges: ReportChanges
  readonly clock: Clock
  readonly params: ConsensusParams
}): Payments {
  const { store, updateInvoices, reportChanges, clock, params } = deps
  /** The server of the last snapshot. Kept in memory only: after a restart the wait for missing payments starts again. */
  let lastServer: number | null = null

  function observeMined({ blocks, notes }: ScannedBlocks, now: number): ObservedPayment[] {
    const blockOf = new Map(blocks.flatMap(block => block.transactions.map(({ txid }) => [txid, block] as const)))
    return notes.flatMap(note => {
      const block = blockOf.get(note.txid)
      if (!block) throw new Error('a decrypted note does not belong to the given blocks')
      const { height } = block
      if (!isPaymentPool(note.pool, height, params)) return []
      const location = { at: 'mined', height } as const
      return [{ note, location, time: Math.min(block.time, now), expiryHeight: null, height }]
    })
  }

  function observeMempool({ notes, expiryHeights }: ScannedMempool, tip: number, now: number): ObservedPayment[] {
    return notes
      .filter(note => isPaymentPool(note.pool, tip + 1, params))
      .map(note => ({
        note,
        location: { at: 'mempool' } as const,
        time: now,
        expiryHeight: expiryHeights.get(note.txid) ?? null,
        height: tip,
      }))
      .filter(observation => !isTransactionExpired(observation.expiryHeight, tip))
  }

  /**
   * Records observed payments. Their invoices must be locked, so that the second of two processes finds a payment known.
   * Known payments are recorded at any time, because their location may have changed.
   */
  async function recordObserved(tx: Tx, matched: readonly Matched[], now: number): Promise<number[]> {
    if (matched.length === 0) return []
    const known = new Set((await tx.payments.byInvoices(idsOf(matched))).map(keyOf))
    const payments = matched
      .filter(({ observation, invoice }) => known.has(keyOf(observation.note)) || isWatched(invoice, observation.time))
      .map(({ observation, invoice }) => paymentOf(observation, invoice, now))
    return payments.length === 0 ? [] : tx.payments.upsert(payments)
  }

  /**
   * Marks unmined payments as present in or missing from the snapshot, and drops vanished payments. Returns the ids of
   * invoices that may change.
   */
  async function updateUnmined(
    tx: Tx,
    snapshot: MempoolSnapshot,
    at: { now: number; tip: number; clockIsRight: boolean },
  ) {
    const { txids, lastSeq, serverEpoch, provesMissing } = snapshot
    const unmined = await tx.payments.listMempool()
    const present = unmined.filter(({ txid }) => txids.has(txid))
    const hasChanged = ({ inSnapshot, missing }: PaymentRow) => !inSnapshot || missing !== null
    const toMark = present.filter(payment => hasChanged(payment) || payment.lastSeenHeight < at.tip)
    await tx.payments.markPresent(seqsOf(toMark), at.tip)

    const absent = provesMissing ? unmined.filter(({ txid, seq }) => !txids.has(txid) && seq <= lastSeq) : []
    const sameServer = serverEpoch === lastServer
    const since = (payment: PaymentRow) => (sameServer ? payment.missing : null)
    const vanished = absent.filter(payment => {
      const missing = since(payment)
      return at.clockIsRight && missing !== null && hasVanished(missing, at.now, at.tip)
    })
    const newlyMissing = absent.filter(payment => since(payment) === null)
    await tx.payments.markMissing(seqsOf(newlyMissing), { since: at.now, height: at.tip })
    const dropped = await dropPayments(tx, vanished)
    return [...dropped, ...[...present.filter(hasChanged), ...newlyMissing].map(({ invoiceId }) => invoiceId)]
  }

  return {
    async recordBlocks(read) {
      const now = nowSecs(clock)
      const observed = observeMined(read, now)
      const newest = read.blocks.at(-1)
      if (!newest) return null
      const written = await store.write(async tx => {
        await tx.chain.lock()
        const mismatch = findMismatch(await tx.chain.tip(), read.blocks)
        if (mismatch) return mismatch
        await tx.chain.appendHeaders(read.blocks)
        const matched = await matchInvoices(tx, observed)
        const awaiting = await findAwaitingConfirmation(tx)
        const unmined = await tx.payments.listMempool()
        const dead = unmined.filter(payment => isTransactionExpired(payment.expiryHeight, newest.height))
        // One ordered lock of all invoices prevents deadlocks.
        const deadIds = dead.map(({ invoiceId }) => invoiceId)
        await tx.invoices.lock([...idsOf(matched), ...awaiting, ...deadIds])
        const touched = await recordObserved(tx, matched, now)
        const dropped = await dropPayments(tx, dead)
        return updateInvoices(tx, [...touched, ...dropped, ...awaiting], now)
      })
      if ('height' in written) return written
      reportChanges(written)
      return null
    },

    async recordMempool(seen) {
      const now = nowSecs(clock)
      const changes = await store.write(async tx => {
        const tip = (await tx.chain.tip())?.height ?? 0
        const matched = await lockMatched(tx, observeMempool(seen, tip, now))
        return updateInvoices(tx, await recordObserved(tx, matched, now), now)
      })
      reportChanges(changes)
    },

    lastSeq: () => store.query(tx => tx.payments.lastSeq()),

    async recordSnapshot(snapshot) {
      const now = nowSecs(clock)
      const { time, changes } = await store.write(async tx => {
        await tx.chain.lock()
        const newest = await tx.chain.newestHeaders(MEDIAN_BLOCKS)
        const tip = newest[0]?.height ?? 0
        const time = chainTime(params, newest, now)
        const matched = await lockMatched(tx, observeMempool(snapshot, tip, now))
        const touched = await recordObserved(tx, matched, now)
        const updated = await updateUnmined(tx, snapshot, { now, tip, clockIsRight: clockAgreesWithChain(time) })
        if (time.state === 'ok' && snapshot.syncedThrough !== null)
          await tx.chain.setSyncedThrough(snapshot.syncedThrough, now)
        return { time, changes: await updateInvoices(tx, [...touched, ...updated], now) }
      })
      lastServer = snapshot.serverEpoch
      reportChanges(changes)
      return time
    },

    async recordRescanned(read) {
      const now = nowSecs(clock)
      const observed = observeMined(read, now)
      const written = await store.write(async tx => {
        await tx.chain.lock()
        const mismatch = await findUnrecorded(tx, read.blocks)
        if (mismatch) return mismatch
        const matched = await lockMatched(tx, observed)
        const rewinds = matched.length > 0 ? await tx.chain.rewinds() : []
        const possible = matched.filter(({ observation, invoice }) =>
          canHoldPayment(invoice, observation.height, rewinds),
        )
        return updateInvoices(tx, await recordObserved(tx, possible, now), now)
      })
      if ('height' in written) return { found: 0, mismatch: written }
      reportChanges(written)
      return { found: written.length, mismatch: null }
    },

    async expireDue(limit) {
      const now = nowSecs(clock)
      const changes = await store.write(async tx => {
        const syncedThrough = await tx.chain.syncedThrough()
        const newest = await tx.chain.newestHeaders(MEDIAN_BLOCKS)
        if (!clockAgreesWithChain(chainTime(params, newest, now))) return []
        const due = await tx.invoices.expirable(syncedThrough, newest[0]?.height ?? 0, limit)
        return updateInvoices(tx, due, now)
      })
      reportChanges(changes)
      return changes.length
    },
  }
}

/** Matches invoices and locks them, so that data read afterwards stays valid. */
async function lockMatched(tx: Tx, observed: readonly ObservedPayment[]): Promise<Matched[]> {
  const matched = await matchInvoices(tx, observed)
  if (matched.length > 0) await tx.invoices.lock(idsOf(matched))
  return matched
}

/** Pairs each payment with the invoice at its diversifier index. Notes with an impossible value are ignored. */
async function matchInvoices(tx: Tx, observed: readonly ObservedPayment[]): Promise<Matched[]> {
  const payable = observed.filter(
    ({ note: { valueZat, diversifierIndex } }) =>
      valueZat > 0n && valueZat <= MAX_ZAT && diversifierIndex <= MAX_DIVERSIFIER_INDEX,
  )
  const indexes = new Map(payable.map(({ note }) => [indexKey(note), note]))
  if (indexes.size === 0) return []
  const found = await tx.invoices.byDiversifierIndexes([...indexes.values()])
  const invoices = new Map(found.map(invoice => [indexKey(invoice), invoice]))
  return payable.flatMap(observation => {
    const invoice = invoices.get(indexKey(observation.note))
    return invoice ? [{ observation, invoice }] : []
  })
}

function paymentOf(
  { note, location, expiryHeight, height }: ObservedPayment,
  invoice: Invoice,
  seenAt: number,
): NewPayment {
  const { txid, pool, outputIndex, valueZat } = note
  const payment = { invoiceId: invoice.id, txid, pool, outputIndex, valueZat, location, expiryHeight, seenAt }
  return { ...payment, lastSeenHeight: height }
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
async function findUnrecorded(tx: Tx, blocks: readonly Block[]): Promise<ChainMismatch | null> {
  const tip = await tx.chain.tip()
  const oldest = await tx.chain.oldestHeight()
  for (const { height, hash } of blocks) {
    const ours = await tx.chain.headerAt(height)
    const recorded = tip !== null && oldest !== null && height <= tip.height && (ours !== null || height < oldest)
    if (!recorded) return { height, problem: { problem: 'gap', expected: tip?.height ?? 0 } }
    if (ours && ours.hash !== hash) return { height, problem: { problem: 'fork' } }
  }
  return null
}

async function dropPayments(tx: Tx, payments: readonly PaymentRow[]): Promise<number[]> {
  return payments.length === 0 ? [] : tx.payments.markDropped([...new Set(payments.map(({ txid }) => txid))])
}

function seqsOf(payments: readonly PaymentRow[]): number[] {
  return payments.map(({ seq }) => seq)
}

function idsOf(matched: readonly Matched[]): number[] {
  return [...new Set(matched.map(({ invoice }) => invoice.id))]
}

/** All unpaid invoices with their full amount received. A new block can confirm each of them. */
async function findAwaitingConfirmation(tx: Tx): Promise<number[]> {
  const ids: number[] = []
  for (;;) {
    const page = await tx.invoices.awaitingConfirmation(AWAITING_PAGE, ids.at(-1) ?? 0)
    ids.push(...page)
    if (page.length < AWAITING_PAGE) return ids
  }
}

function keyOf(payment: Pick<DecryptedNote, 'txid' | 'pool' | 'outputIndex'>): string {
  return `${payment.txid} ${payment.pool} ${payment.outputIndex}`
}

function indexKey(at: { readonly viewingKeyId: number; readonly diversifierIndex: bigint }): string {
  return `${at.viewingKeyId} ${at.diversifierIndex}`
}
