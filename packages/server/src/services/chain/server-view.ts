import { type Block, checkContinuity, type Header } from '../../domain/chain/chain.ts'
import { isNearTip } from '../../domain/chain/witness.ts'
import type { DecryptedNote } from '../../ports/note-scanner.ts'
import type { PaymentRow } from '../../ports/repository/sale/payment.ts'
import type { Tx } from '../../ports/store.ts'
import { matchInvoices } from '../sale/payment.ts'

/** The blocks and mempool of one server, with the notes that the watched keys decrypt in them. */
export interface ScannedView {
  /** Height of its newest block. */
  readonly height: number
  readonly blocks: readonly Block[]
  readonly notes: readonly DecryptedNote[]
  /** Null: its mempool cannot be read. */
  readonly mempoolNotes: readonly DecryptedNote[] | null
}

/** A view to compare with the recorded blocks and payments. */
export interface ComparableView {
  readonly isNearTip: boolean
  /** Block hashes by height. */
  readonly hashes: ReadonlyMap<number, string>
  shows(payment: PaymentRow): boolean
}

/** @param below the recorded header below the first block; null when there is none */
export async function comparable(
  tx: Tx,
  { height, blocks, notes }: Omit<ScannedView, 'mempoolNotes'>,
  { below, tip }: { readonly below: Header | null; readonly tip: number },
): Promise<ComparableView> {
  const shown = await paymentKeys(tx, notes)
  return {
    isNearTip: isNearTip(height, tip),
    hashes: new Map(linkedBlocks(below, blocks).map(block => [block.height, block.hash])),
    shows: payment => shown.has(paymentKey(payment.invoiceId, payment)),
  }
}

/** The keys of the payments that these notes are. */
export async function paymentKeys(tx: Tx, notes: readonly DecryptedNote[]): Promise<ReadonlySet<string>> {
  const matched = await matchInvoices(
    tx,
    notes.map(note => ({ note })),
  )
  return new Set(matched.map(({ invoiceId, note }) => paymentKey(invoiceId, note)))
}

export function paymentKey(
  invoiceId: number,
  { txid, pool, outputIndex, valueZat }: Pick<DecryptedNote, 'txid' | 'pool' | 'outputIndex' | 'valueZat'>,
): string {
  return `${invoiceId} ${txid} ${pool} ${outputIndex} ${valueZat}`
}

/** The blocks up to the first one that is no block of any chain, such as one without all of its outputs. */
function linkedBlocks(below: Header | null, blocks: readonly Block[]): readonly Block[] {
  let previous = below
  for (const [index, block] of blocks.entries()) {
    const problem = previous && checkContinuity(previous, block)
    // The first block of another branch does not follow the recorded one.
    if (problem && (index > 0 || problem.problem !== 'fork')) return blocks.slice(0, index)
    previous = block
  }
  return blocks
}
