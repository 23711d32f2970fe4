import { MAX_DIVERSIFIER_INDEX } from '../../domain/account/viewing-key.ts'
import { type Block, isPaymentPool } from '../../domain/chain/chain.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import { MAX_ZAT } from '../../domain/money.ts'
import { hasVanished, isTransactionExpired, isWatched, type PaymentLocation } from '../../domain/sale/payment.ts'
import type { DecryptedNote } from '../../ports/note-scanner.ts'
import type { NewPayment, PaymentRow } from '../../ports/repository/sale/payment.ts'
import type { Tx } from '../../ports/store.ts'
import type { LockedInvoices } from './invoice-state.ts'

/** A note that the chain source shows, before or after it is matched with an invoice. */
interface ObservedNote {
  readonly note: DecryptedNote
}

interface ObservedPayment extends ObservedNote {
  readonly location: PaymentLocation
  /** Unix seconds: of the block, or of the clock for the mempool. */
  readonly time: number
  readonly expiryHeight: number | null
  /** Height of the block, or of the last recorded block for the mempool. */
  readonly height: number
}

/** An observation together with the invoice at the note's diversifier index. */
type Matched<T extends ObservedNote> = T & { readonly invoiceId: number }

/**
 * The payments in these blocks. Notes of a pool that does not count at the height are ignored.
 * @param now Unix seconds: a block dated later counts as mined now
 * @throws Error when a note is in none of the blocks
 */
export function observeMined(
  blocks: readonly Block[],
  notes: readonly DecryptedNote[],
  params: ConsensusParams,
  now: number,
): ObservedPayment[] {
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

/**
 * The payments in the mempool above block `tip`. Notes of a pool that does not count in the next block are ignored, and
 * notes of expired transactions.
 * @param expiryHeights nExpiryHeight by txid, if known
 */
export function observeMempool<T extends ObservedNote>(
  unmined: readonly T[],
  expiryHeights: ReadonlyMap<string, number>,
  params: ConsensusParams,
  at: { readonly tip: number; readonly now: number },
): (T & ObservedPayment)[] {
  return unmined
    .filter(({ note }) => isPaymentPool(note.pool, at.tip + 1, params))
    .map(observed => ({
      ...observed,
      location: { at: 'mempool' } as const,
      time: at.now,
      expiryHeight: expiryHeights.get(observed.note.txid) ?? null,
      height: at.tip,
    }))
    .filter(({ expiryHeight }) => !isTransactionExpired(expiryHeight, at.tip))
}

/** Finds the invoice at each note's diversifier index. Notes without an invoice or with an impossible value are left out. */
export async function matchInvoices<T extends ObservedNote>(tx: Tx, observed: readonly T[]): Promise<Matched<T>[]> {
  const payable = observed.filter(
    ({ note: { valueZat, diversifierIndex } }) =>
      valueZat > 0n && valueZat <= MAX_ZAT && diversifierIndex <= MAX_DIVERSIFIER_INDEX,
  )
  const indexes = new Map(payable.map(({ note }) => [indexKey(note), note]))
  if (indexes.size === 0) return []
  const invoices = await tx.invoices.byDiversifierIndexes([...indexes.values()])
  const invoiceIds = new Map(invoices.map(invoice => [indexKey(invoice), invoice.id]))
  return payable.flatMap(item => {
    const invoiceId = invoiceIds.get(indexKey(item.note))
    return invoiceId === undefined ? [] : [{ ...item, invoiceId }]
  })
}

/**
 * Records payments to locked invoices. A payment after the end of the late window is recorded only if it is known,
 * because its location may have changed; the lock makes the second of two processes find it known.
 * @param now Unix seconds
 * @param options.awaitsWitness the payments are in blocks that two servers have agreed about before, and one shows them
 * @param options.leftOut viewing keys whose payments are not recorded
 * @returns the ids of the invoices with a change
 */
export async function recordPayments(
  tx: Tx,
  observed: readonly Matched<ObservedPayment>[],
  locked: LockedInvoices,
  now: number,
  {
    awaitsWitness = false,
    leftOut = new Set(),
  }: { readonly awaitsWitness?: boolean; readonly leftOut?: ReadonlySet<number> } = {},
): Promise<number[]> {
  const isInTime = ({ invoiceId, time }: Matched<ObservedPayment>) => {
    const invoice = locked.get(invoiceId)
    return invoice !== undefined && isWatched(invoice, time)
  }
  const due = observed.filter(({ note }) => !leftOut.has(note.viewingKeyId))
  const tooLate = due.filter(payment => !isInTime(payment))
  const known = new Set((await tx.payments.known(tooLate.map(({ note }) => note))).map(keyOf))
  const payments = due.filter(payment => isInTime(payment) || known.has(keyOf(payment.note)))
  return payments.length > 0
    ? tx.payments.upsert(payments.map(payment => ({ ...toNewPayment(payment, now), awaitsWitness })))
    : []
}

/** A mempool snapshot to compare the unmined payments with. */
interface SnapshotComparison {
  /** Ids of all transactions in the mempool. */
  readonly txids: ReadonlySet<string>
  /** Whether absence from the snapshot is evidence that a recorded payment has left the mempool. */
  readonly provesMissing: (payment: PaymentRow) => boolean
  /**
   * Whether a payment that was missing from the previous snapshot has been missing since then: that snapshot was of the
   * same server, and no list in between contained it. If not, the wait starts again.
   */
  readonly wasMissing: (payment: PaymentRow) => boolean
  /** No snapshot was recorded lately, so that mempool payments have confirmed nothing. */
  readonly isFirst: boolean
  /** If not, no payment is taken for missing. */
  readonly clockIsRight: boolean
  /** Unix seconds. */
  readonly now: number
  readonly tip: number
  /** Viewing keys whose payments are not written. */
  readonly leftOut: ReadonlySet<number>
}

/**
 * Marks unmined payments as present in or missing from a snapshot, and drops those that have vanished.
 * @returns the ids of the invoices that may change
 */
export async function compareWithSnapshot(
  tx: Tx,
  unmined: readonly PaymentRow[],
  { txids, provesMissing, wasMissing, isFirst, clockIsRight, now, tip, leftOut }: SnapshotComparison,
): Promise<number[]> {
  const present = unmined.filter(({ txid }) => txids.has(txid))
  const hasChanged = ({ inSnapshot, missing }: PaymentRow) => !inSnapshot || missing !== null
  const toMark = present.filter(payment => hasChanged(payment) || payment.lastSeenHeight < tip)
  if (toMark.length > 0) await tx.payments.markPresent(seqsOf(toMark), tip)

  const lacking = unmined.filter(payment => !txids.has(payment.txid))
  // Another process would count an absence from the time of a wrong clock on.
  const isAbsent = (payment: PaymentRow) => clockIsRight && provesMissing(payment)
  const unproven = lacking.filter(payment => payment.inSnapshot && !isAbsent(payment))
  if (unproven.length > 0) await tx.payments.markAbsent(seqsOf(unproven))

  const absent = lacking.filter(isAbsent)
  // A time ahead of the clock was written by a wrong clock, so the wait starts again.
  const missingSince = (payment: PaymentRow) => {
    const { missing } = payment
    return missing && missing.since <= now && wasMissing(payment) ? missing : null
  }
  const vanished = absent.filter(payment => {
    const missing = missingSince(payment)
    return missing !== null && hasVanished(missing, now, tip)
  })
  const newlyMissing = absent.filter(payment => missingSince(payment) === null)
  if (newlyMissing.length > 0) await tx.payments.markMissing(seqsOf(newlyMissing), { since: now, height: tip })
  const dropped = await dropTransactions(
    tx,
    vanished.map(({ txid }) => txid),
    leftOut,
  )
  return [
    ...dropped,
    ...invoiceIdsOf([...(isFirst ? present : present.filter(hasChanged)), ...unproven, ...newlyMissing]),
  ]
}

/** Drops all unmined payments of transactions, without those of viewing keys left out. @returns the ids of their invoices */
export async function dropTransactions(
  tx: Tx,
  txids: readonly string[],
  leftOut: ReadonlySet<number>,
): Promise<number[]> {
  return txids.length > 0 ? tx.payments.markDropped([...new Set(txids)], [...leftOut]) : []
}

export function viewingKeysOf(locked: LockedInvoices): Set<number> {
  return new Set([...locked.values()].map(({ viewingKeyId }) => viewingKeyId))
}

export function invoiceIdsOf(items: readonly { readonly invoiceId: number }[]): number[] {
  return [...new Set(items.map(({ invoiceId }) => invoiceId))]
}

function toNewPayment(
  { note, invoiceId, location, expiryHeight, height }: Matched<ObservedPayment>,
  seenAt: number,
): NewPayment {
  const { txid, pool, outputIndex, valueZat } = note
  return { invoiceId, txid, pool, outputIndex, valueZat, location, expiryHeight, seenAt, lastSeenHeight: height }
}

function seqsOf(payments: readonly PaymentRow[]): number[] {
  return payments.map(({ seq }) => seq)
}

function keyOf(payment: Pick<DecryptedNote, 'txid' | 'pool' | 'outputIndex'>): string {
  return `${payment.txid} ${payment.pool} ${payment.outputIndex}`
}

function indexKey(at: { readonly viewingKeyId: number; readonly diversifierIndex: bigint }): string {
  return `${at.viewingKeyId} ${at.diversifierIndex}`
}
