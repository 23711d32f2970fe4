import { MAX_DIVERSIFIER_INDEX } from '../../domain/account/viewing-key.ts'
import { type Block, isPaymentPool } from '../../domain/chain/chain.ts'
import type { ListState } from '../../domain/chain/chain-knowledge.ts'
import { type ComparedList, type Presence, presenceOf } from '../../domain/chain/dropped-payment.ts'
import type { ConsensusParams } from '../../domain/chain/network-upgrade.ts'
import { MAX_ZAT } from '../../domain/money.ts'
import { isTransactionExpired, isWatched, type PaymentLocation } from '../../domain/sale/payment.ts'
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

/**
 * Marks unmined payments as present in a mempool list or vanished from it, and drops those that have vanished for long.
 * @param list `isFirst`: see `ListState`
 * @param leftOut viewing keys whose payments are not written
 * @returns the ids of the invoices that may change
 */
export async function compareWithList(
  tx: Tx,
  unmined: readonly PaymentRow[],
  list: ComparedList & Pick<ListState, 'isFirst'>,
  leftOut: ReadonlySet<number>,
): Promise<number[]> {
  const { isFirst, now, tip } = list
  const found = Map.groupBy(unmined, payment => presenceOf(payment, list))
  const those = (...presences: readonly Presence[]) => presences.flatMap(presence => found.get(presence) ?? [])
  const toMark = [...those('returned'), ...those('present').filter(({ lastSeenHeight }) => lastSeenHeight < tip)]
  if (toMark.length > 0) await tx.payments.markPresent(seqsOf(toMark), tip)
  const unproven = those('unproven')
  if (unproven.length > 0) await tx.payments.markAbsent(seqsOf(unproven))
  const vanished = those('vanished')
  if (vanished.length > 0) await tx.payments.markVanished(seqsOf(vanished), { since: now, height: tip })
  const gone = those('dropped').map(({ txid }) => txid)
  const dropped = await dropTransactions(tx, gone, leftOut)
  const changed = those('returned', 'unproven', 'vanished', ...(isFirst ? (['present'] as const) : []))
  return [...dropped, ...invoiceIdsOf(changed)]
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
